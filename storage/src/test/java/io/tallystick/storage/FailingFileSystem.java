package io.tallystick.storage;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;

/**
 * The operating system's files, where one call of a path, of the file system or of its provider ends with an Error, or
 * where some openings, renames and deletions are refused.
 */
final class FailingFileSystem extends FileSystem {
    private final FileSystem real = FileSystems.getDefault();
    private final FailingProvider provider = new FailingProvider();

    // Calls until the one that fails; negative after it.
    private int callsLeft = Integer.MAX_VALUE;
    private int refusalsLeft;
    private boolean isOpeningRefused;
    private boolean areAttributesRefused;
    private Path junction;
    private Function<String, IOException> refusal;

    /** The same path in this file system. */
    Path path(Path path) {
        return path == null
                ? null
                : (Path) Proxy.newProxyInstance(
                        Path.class.getClassLoader(), new Class<?>[] {Path.class}, new FailingPath(path));
    }

    /** Has the next openings, renames and deletions fail, each with a refusal of its own. */
    void refuse(int times, Function<String, IOException> refusal) {
        refusalsLeft = times;
        this.refusal = refusal;
    }

    /** Has each opening fail, and nothing else. */
    void failAtOpening() {
        isOpeningRefused = true;
    }

    /** Shows this directory as a junction of Windows: no symbolic link, a directory, and something else besides. */
    void showAsJunction(Path directory) {
        junction = directory;
    }

    /** Has each look at a file fail. */
    void failAtAttributes() {
        areAttributesRefused = true;
    }

    private void refuse(Path path) throws IOException {
        if (refusalsLeft > 0) {
            refusalsLeft--;
            throw refusal.apply(real(path).toString());
        }
    }

    /** Has the call after so many others fail. */
    void failAfter(int calls) {
        callsLeft = calls;
    }

    /** Whether a call has failed. */
    boolean hasFailed() {
        return callsLeft < 0;
    }

    private void step() {
        if (callsLeft-- == 0) {
            throw new OutOfMemoryError("planted");
        }
    }

    private static Path real(Path path) {
        return Proxy.isProxyClass(path.getClass()) ? ((FailingPath) Proxy.getInvocationHandler(path)).path : path;
    }

    private final class FailingPath implements InvocationHandler {
        private final Path path;

        FailingPath(Path path) {
            this.path = path;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            step();
            if (method.getName().equals("getFileSystem")) {
                return FailingFileSystem.this;
            }
            Object[] unwrapped = arguments == null ? new Object[0] : arguments.clone();
            for (int i = 0; i < unwrapped.length; i++) {
                unwrapped[i] = unwrapped[i] instanceof Path other ? real(other) : unwrapped[i];
            }
            try {
                Object result = method.invoke(path, unwrapped);
                return result instanceof Path other ? path(other) : result;
            } catch (InvocationTargetException failed) {
                throw failed.getCause();
            }
        }
    }

    @Override
    public FileSystemProvider provider() {
        step();
        return provider;
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        step();
        return real.supportedFileAttributeViews();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return real.getSeparator();
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Path getPath(String first, String... more) {
        return path(real.getPath(first, more));
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        throw new UnsupportedOperationException();
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        throw new UnsupportedOperationException();
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException();
    }

    private final class FailingProvider extends FileSystemProvider {
        private final FileSystemProvider files = real.provider();

        @Override
        public AsynchronousFileChannel newAsynchronousFileChannel(
                Path path, Set<? extends OpenOption> options, ExecutorService executor, FileAttribute<?>... attributes)
                throws IOException {
            step();
            refuse(path);
            if (isOpeningRefused) {
                throw new IOException("planted");
            }
            return files.newAsynchronousFileChannel(real(path), options, executor, attributes);
        }

        @Override
        public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
                throws IOException {
            step();
            return files.newFileChannel(real(path), options, attributes);
        }

        @Override
        public SeekableByteChannel newByteChannel(
                Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
            step();
            return files.newByteChannel(real(path), options, attributes);
        }

        @Override
        public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter)
                throws IOException {
            step();
            DirectoryStream<Path> stream = files.newDirectoryStream(real(directory), filter);
            return new DirectoryStream<>() {
                @Override
                public Iterator<Path> iterator() {
                    step();
                    List<Path> paths = new ArrayList<>();
                    stream.forEach(path -> paths.add(path(path)));
                    return paths.iterator();
                }

                @Override
                public void close() throws IOException {
                    stream.close();
                }
            };
        }

        @Override
        public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
                throws IOException {
            step();
            if (areAttributesRefused) {
                throw new IOException("Input/output error");
            }
            A attributes = files.readAttributes(real(path), type, options);
            return real(path).equals(junction) ? type.cast(asOfJunction(attributes)) : attributes;
        }

        private BasicFileAttributes asOfJunction(BasicFileAttributes attributes) {
            return (BasicFileAttributes) Proxy.newProxyInstance(
                    BasicFileAttributes.class.getClassLoader(),
                    new Class<?>[] {BasicFileAttributes.class},
                    (proxy, method, arguments) ->
                            method.getName().equals("isOther") ? true : method.invoke(attributes, arguments));
        }

        @Override
        public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
                throws IOException {
            step();
            return files.readAttributes(real(path), attributes, options);
        }

        @Override
        public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
            step();
            return files.getFileAttributeView(real(path), type, options);
        }

        @Override
        public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
            step();
            files.setAttribute(real(path), attribute, value, options);
        }

        @Override
        public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
            step();
            files.createDirectory(real(directory), attributes);
        }

        @Override
        public void delete(Path path) throws IOException {
            step();
            refuse(path);
            files.delete(real(path));
        }

        @Override
        public void move(Path source, Path target, CopyOption... options) throws IOException {
            step();
            refuse(source);
            files.move(real(source), real(target), options);
        }

        @Override
        public void copy(Path source, Path target, CopyOption... options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isSameFile(Path path, Path other) throws IOException {
            return files.isSameFile(real(path), real(other));
        }

        @Override
        public boolean isHidden(Path path) {
            return false;
        }

        @Override
        public FileStore getFileStore(Path path) throws IOException {
            return files.getFileStore(real(path));
        }

        @Override
        public void checkAccess(Path path, AccessMode... modes) throws IOException {
            files.checkAccess(real(path), modes);
        }

        @Override
        public String getScheme() {
            return "failing";
        }

        @Override
        public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileSystem getFileSystem(URI uri) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Path getPath(URI uri) {
            throw new UnsupportedOperationException();
        }
    }
}
