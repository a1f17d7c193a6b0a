package io.tallystick.rules;

import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.PrimitiveTypeTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.ThrowTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.lang.model.type.TypeKind;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** What javac's parser tells of source files; nothing is resolved, so that it takes a second. */
final class SyntaxTrees {
    private static final Set<String> BROAD = Set.of("Exception", "RuntimeException", "Error", "Throwable");

    private final List<Parsed> parsed = new ArrayList<>();
    private final DocTrees documentation;

    /** A source file and its tree. */
    private record Parsed(SourceFile source, CompilationUnitTree tree) {
        String positionOf(DocTrees trees, Tree part) {
            long line =
                    tree.getLineMap().getLineNumber(trees.getSourcePositions().getStartPosition(tree, part));
            return source.path() + ":" + line;
        }
    }

    /**
     * A type in a source file.
     *
     * @param packageName of the file
     * @param name without the types around it
     * @param isTopLevel whether no type is around it
     * @param position file and line
     */
    record TypeDeclaration(SourceFile source, String packageName, String name, boolean isTopLevel, String position) {}

    private SyntaxTrees(DocTrees documentation) {
        this.documentation = documentation;
    }

    static SyntaxTrees ofTheProject() {
        return Here.TREES;
    }

    /** Parses files. */
    static SyntaxTrees of(List<SourceFile> sources) {
        Map<URI, SourceFile> sourcesByUri = new HashMap<>();
        List<InMemory> files = new ArrayList<>();
        for (SourceFile source : sources) {
            InMemory file = new InMemory(source);
            files.add(file);
            sourcesByUri.put(file.toUri(), source);
        }
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        JavacTask task = (JavacTask) ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, diagnostics, List.of("-proc:none"), null, files);
        SyntaxTrees trees = new SyntaxTrees(DocTrees.instance(task));
        try {
            for (CompilationUnitTree tree : task.parse()) {
                trees.parsed.add(
                        new Parsed(sourcesByUri.get(tree.getSourceFile().toUri()), tree));
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        for (Diagnostic<? extends JavaFileObject> diagnostic : diagnostics.getDiagnostics()) {
            if (diagnostic.getKind() == Diagnostic.Kind.ERROR) {
                throw new IllegalStateException(
                        diagnostic.getSource().getName() + ": " + diagnostic.getMessage(Locale.ROOT));
            }
        }
        return trees;
    }

    /** Every type that is declared with a name. */
    List<TypeDeclaration> types() {
        List<TypeDeclaration> types = new ArrayList<>();
        for (Parsed file : parsed) {
            String packageName = file.tree.getPackageName() == null ? "" : file.tree.getPackageName() + "";
            new TreePathScanner<Void, Void>() {
                @Override
                public Void visitClass(ClassTree type, Void nothing) {
                    if (!type.getSimpleName().isEmpty()) {
                        types.add(new TypeDeclaration(
                                file.source,
                                packageName,
                                type.getSimpleName().toString(),
                                getCurrentPath().getParentPath().getLeaf() == file.tree,
                                file.positionOf(documentation, type)));
                    }
                    return super.visitClass(type, nothing);
                }
            }.scan(file.tree, null);
        }
        return types;
    }

    /** Where shipped code catches any exception and does not end with throwing it on. */
    Findings broadCatches() {
        Findings findings = new Findings();
        for (Parsed file : parsed) {
            new TreePathScanner<Void, Void>() {
                @Override
                public Void visitCatch(CatchTree caught, Void nothing) {
                    String types = caught.getParameter().getType().toString();
                    for (String type : types.split("\\s*\\|\\s*")) {
                        if (file.source.isMain() && BROAD.contains(type) && !isThrownOn(caught)) {
                            findings.add(file.source.place(), file.positionOf(documentation, caught) + " " + type);
                        }
                    }
                    return super.visitCatch(caught, nothing);
                }
            }.scan(file.tree, null);
        }
        return findings;
    }

    /** Where the Javadoc of a method that returns nothing says "Returns if". */
    Findings voidMethodsThatReturnIf() {
        Findings findings = new Findings();
        for (Parsed file : parsed) {
            new TreePathScanner<Void, Void>() {
                @Override
                public Void visitMethod(MethodTree method, Void nothing) {
                    String comment = documentation.getDocComment(getCurrentPath());
                    if (isVoid(method)
                            && comment != null
                            && comment.replaceAll("\\s+", " ").contains("Returns if")) {
                        findings.add(
                                file.source.place(), file.positionOf(documentation, method) + " " + method.getName());
                    }
                    return super.visitMethod(method, nothing);
                }
            }.scan(file.tree, null);
        }
        return findings;
    }

    private static boolean isThrownOn(CatchTree caught) {
        List<? extends StatementTree> statements = caught.getBlock().getStatements();
        return !statements.isEmpty()
                && statements.get(statements.size() - 1) instanceof ThrowTree last
                && last.getExpression() instanceof IdentifierTree thrown
                && thrown.getName().equals(caught.getParameter().getName());
    }

    private static boolean isVoid(MethodTree method) {
        return method.getReturnType() instanceof PrimitiveTypeTree type && type.getPrimitiveTypeKind() == TypeKind.VOID;
    }

    /** Parses the project when the first rule asks for it. */
    private static final class Here {
        static final SyntaxTrees TREES = of(Project.here().sources());
    }

    /** A source that has been read already. */
    private static final class InMemory extends SimpleJavaFileObject {
        private final SourceFile source;

        InMemory(SourceFile source) {
            super(URI.create("memory:///" + source.path()), Kind.SOURCE);
            this.source = source;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source.file().text();
        }
    }
}
