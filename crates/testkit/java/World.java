import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Loads the classes under test; a new world has fresh statics. Class bytes are read once. */
final class World extends ClassLoader {
    private static final Map<String, byte[]> BYTES = new HashMap<>();
    private final String[] classPath;
    private final UnaryOperator<byte[]> transform;

    World(String[] classPath, UnaryOperator<byte[]> transform) {
        super(World.class.getClassLoader());
        this.classPath = classPath;
        this.transform = transform;
        setDefaultAssertionStatus(true);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes = bytes(name);
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    private byte[] bytes(String name) throws ClassNotFoundException {
        synchronized (BYTES) {
            if (!BYTES.containsKey(name)) {
                byte[] read = read(name);
                BYTES.put(name, read == null || transform == null ? read : transform.apply(read));
            }
            return BYTES.get(name);
        }
    }

    private byte[] read(String name) throws ClassNotFoundException {
        for (String entry : classPath) {
            Path file = Path.of(entry, name.replace('.', File.separatorChar) + ".class");
            if (Files.isRegularFile(file)) {
                try {
                    return Files.readAllBytes(file);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }
        return null;
    }
}
