#!/usr/bin/env python3
"""Checks what a release has put into a Maven repository, and compares two of them.

    check-artifacts.py list REPOSITORY VERSION      each POM and jar against the list of docs/releasing.md
    check-artifacts.py compare REPOSITORY OTHER     byte for byte; an archive's difference is named by its entries

Prints a line for each fault and ends with status 1 if there is one.
"""

import io
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as tree
import zipfile

POM = "{http://maven.apache.org/POM/4.0.0}"
# A checksum follows from its file; metadata has the time of the deployment; a signature has its own time.
NOT_COMPARED = re.compile(r".*(\.(md5|sha1|sha256|sha512|asc)|maven-metadata\.xml)$")


def files(repository):
    return {
        str(path.relative_to(repository)): path
        for path in sorted(pathlib.Path(repository).rglob("*"))
        if path.is_file() and not NOT_COMPARED.match(path.name)
    }


def check_pom(artifact, path, faults):
    text = path.read_text(encoding="utf-8")
    pom = tree.fromstring(text)
    if "${" in text:
        faults.append(f"{artifact}: the POM contains ${{")
    if pom.find(POM + "parent") is not None:
        faults.append(f"{artifact}: the POM has a parent, which is not published")
    if "SNAPSHOT" in text:
        faults.append(f"{artifact}: the POM names a snapshot")
    for element in ("name", "description", "url", "licenses/license/name", "licenses/license/url", "scm/url",
                    "scm/connection", "developers/developer/name", "developers/developer/email"):
        found = pom.find("/".join(POM + step for step in element.split("/")))
        if found is None or not (found.text or "").strip():
            faults.append(f"{artifact}: the POM has no {element}")
    for dependency in pom.iter(POM + "dependency"):
        if not (dependency.findtext(POM + "version") or ""):
            faults.append(f"{artifact}: no version of {dependency.findtext(POM + 'artifactId')}")
        if dependency.findtext(POM + "scope") == "test":
            faults.append(f"{artifact}: a test dependency, {dependency.findtext(POM + 'artifactId')}")
        if dependency.findtext(POM + "artifactId") in ("jspecify", "error_prone_annotations") and (
                dependency.findtext(POM + "scope") != "provided" or dependency.findtext(POM + "optional") != "true"):
            faults.append(f"{artifact}: {dependency.findtext(POM + 'artifactId')} would reach users")
    return pom


def check_jar(name, path, licence, notice, faults):
    """Checks a jar of classes, and returns the name of its module."""
    with zipfile.ZipFile(path) as jar:
        entries = set(jar.namelist())
        manifest = jar.read("META-INF/MANIFEST.MF").decode("utf-8").replace("\r\n ", "").splitlines()
        for entry, text in (("META-INF/LICENSE", licence), ("META-INF/NOTICE", notice)):
            if entry not in entries:
                faults.append(f"{name}: no {entry}")
            elif text.strip() not in jar.read(entry).decode("utf-8"):
                faults.append(f"{name}: {entry} is not ours")
        if "tallystick-native" in name and not any(entry.startswith("META-INF/versions/22/") for entry in entries):
            faults.append(f"{name}: no classes for Java 22")
        if "module-info.class" in entries:
            return "module-info"
    names = [line.split(": ", 1)[1] for line in manifest if line.startswith("Automatic-Module-Name: ")]
    if not names:
        faults.append(f"{name}: neither a module-info nor an Automatic-Module-Name")
    return names[0] if names else ""


def check_zip(path, faults):
    """Checks what is unpacked over a server: with the licence, and with no version that is replaced later."""
    with zipfile.ZipFile(path) as archive:
        entries = archive.namelist()
        for wanted in ("LICENSE", "NOTICE"):
            if not any(entry.endswith("/" + wanted) for entry in entries):
                faults.append(f"{path.name}: no {wanted}")
        for entry in entries:
            if entry.endswith((".xml", ".cli")) and "${project." in archive.read(entry).decode("utf-8"):
                faults.append(f"{path.name}: {entry} contains ${{project.")
            if "SNAPSHOT" in entry:
                faults.append(f"{path.name}: {entry} is a snapshot")


def check_list(repository, version):
    faults = []
    home = pathlib.Path(__file__).resolve().parent.parent
    licence = (home / "LICENSE").read_text(encoding="utf-8")
    notice = (home / "NOTICE").read_text(encoding="utf-8")
    group = pathlib.Path(repository, "io", "tallystick")
    bom = tree.parse(group / "tallystick-bom" / version / f"tallystick-bom-{version}.pom")
    products = {element.text for element in bom.iter(POM + "artifactId")} - {"tallystick-bom"}
    zips = {each.findtext(POM + "artifactId") for each in bom.iter(POM + "dependency") if each.findtext(POM + "type") == "zip"}
    deployed = {path.name for path in group.iterdir()} - {"tallystick-bom"}
    for artifact in sorted(products ^ deployed):
        faults.append(f"{artifact}: " + ("in the BOM, not deployed" if artifact in products else "not in the BOM"))
    modules = {}
    for artifact in sorted(deployed | {"tallystick-bom"}):
        base = f"{artifact}-{version}"
        directory = group / artifact / version
        pom = check_pom(artifact, directory / f"{base}.pom", faults)
        if pom.findtext(POM + "packaging") == "pom":
            for archive in directory.glob("*.zip"):
                check_zip(archive, faults)
            if artifact in zips and not (directory / f"{base}.zip").is_file():
                faults.append(f"{artifact}: no {base}.zip")
            continue
        for kind in (".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json"):
            if not (directory / (base + kind)).is_file():
                faults.append(f"{artifact}: no {base}{kind}")
        with zipfile.ZipFile(directory / f"{base}.jar") as main:
            # An artifact that only names others has nothing to document.
            has_code = any(re.search(r"(?<!/package-info)\.class$", entry) for entry in main.namelist())
        for jar in sorted(directory.glob("*.jar")):
            if jar.name.endswith(("-sources.jar", "-javadoc.jar")):
                kind = ".java" if jar.name.endswith("-sources.jar") else ".html"
                entries = zipfile.ZipFile(jar).namelist()
                if has_code and not any(entry.endswith(kind) for entry in entries):
                    faults.append(f"{jar.name}: nothing in it ends in {kind}")
                if kind == ".java" and artifact == "tallystick-native" and not any(
                        entry.startswith("META-INF/versions/22/") and entry.endswith(kind) for entry in entries):
                    faults.append(f"{jar.name}: no sources for Java 22")
                continue
            if jar.name.endswith("-tests.jar"):
                continue
            module = check_jar(jar.name, jar, licence, notice, faults)
            if module != "module-info" and modules.setdefault(module, artifact) != artifact:
                faults.append(f"{jar.name}: its module's name {module} is also that of {modules[module]}")
        sbom = directory / f"{base}-cyclonedx.json"
        if sbom.is_file() and json.loads(sbom.read_text())["metadata"]["component"]["name"] != artifact:
            faults.append(f"{sbom.name}: tells of another artifact")
    print(f"{len(deployed)} artifacts and the BOM looked at: " + ", ".join(
        name.removeprefix("tallystick-") for name in sorted(deployed)))
    return faults


def different_entries(one, other):
    with zipfile.ZipFile(io.BytesIO(one)) as left, zipfile.ZipFile(io.BytesIO(other)) as right:
        names = sorted(set(left.namelist()) ^ set(right.namelist()))
        both = set(left.namelist()) & set(right.namelist())
        return names + sorted(name for name in both if left.read(name) != right.read(name))


def compare(repository, other):
    faults = []
    left, right = files(repository), files(other)
    for name in sorted(set(left) ^ set(right)):
        faults.append(f"{name}: only one build has made it")
    for name in sorted(set(left) & set(right)):
        one, two = left[name].read_bytes(), right[name].read_bytes()
        if one != two:
            entries = different_entries(one, two) if name.endswith(".jar") else []
            faults.append(f"{name} differs" + (": " + ", ".join(entries[:5]) if entries else ""))
    print(f"{len(left)} files compared byte for byte")
    return faults


def main(arguments):
    commands = {"list": check_list, "compare": compare}
    if len(arguments) != 3 or arguments[0] not in commands:
        print(__doc__, file=sys.stderr)
        return 2
    faults = commands[arguments[0]](*arguments[1:])
    print("\n".join("FAULT " + fault for fault in faults) or "no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
