import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** Descriptors to classes and back. */
final class Types {
    private Types() {}

    static Class<?> of(String descriptor, ClassLoader world) throws ClassNotFoundException {
        switch (descriptor.charAt(0)) {
            case 'Z':
                return boolean.class;
            case 'B':
                return byte.class;
            case 'S':
                return short.class;
            case 'C':
                return char.class;
            case 'I':
                return int.class;
            case 'J':
                return long.class;
            case 'F':
                return float.class;
            case 'D':
                return double.class;
            case 'V':
                return void.class;
            case '[':
                return Class.forName(descriptor.replace('/', '.'), false, world);
            default:
                return Class.forName(descriptor.substring(1, descriptor.length() - 1).replace('/', '.'), false, world);
        }
    }

    static Class<?>[] parameters(String descriptor, ClassLoader world) throws ClassNotFoundException {
        List<Class<?>> types = new ArrayList<>();
        int at = 1;
        while (descriptor.charAt(at) != ')') {
            int end = at;
            while (descriptor.charAt(end) == '[') {
                end++;
            }
            end = descriptor.charAt(end) == 'L' ? descriptor.indexOf(';', end) + 1 : end + 1;
            types.add(of(descriptor.substring(at, end), world));
            at = end;
        }
        return types.toArray(new Class<?>[0]);
    }

    static String descriptor(Executable member) {
        StringBuilder out = new StringBuilder("(");
        for (Class<?> p : member.getParameterTypes()) {
            out.append(p.descriptorString());
        }
        out.append(')');
        return out.append(member instanceof Method ? ((Method) member).getReturnType().descriptorString() : "V").toString();
    }

    /** The declared method with exactly this descriptor, searched in superclasses and interfaces too. */
    static Method method(Class<?> owner, String name, String descriptor) throws NoSuchMethodException {
        for (Class<?> c = owner; c != null; c = c.getSuperclass()) {
            Method found = declared(c, name, descriptor);
            if (found != null) {
                return found;
            }
        }
        for (Method m : owner.getMethods()) {
            if (m.getName().equals(name) && descriptor(m).equals(descriptor)) {
                return m;
            }
        }
        throw new NoSuchMethodException(owner.getName() + "." + name + descriptor);
    }

    static Constructor<?> constructor(Class<?> owner, String descriptor) throws NoSuchMethodException {
        for (Constructor<?> c : owner.getDeclaredConstructors()) {
            if (descriptor(c).equals(descriptor)) {
                return c;
            }
        }
        throw new NoSuchMethodException("new " + owner.getName() + descriptor);
    }

    private static Method declared(Class<?> owner, String name, String descriptor) {
        for (Method m : owner.getDeclaredMethods()) {
            if (m.getName().equals(name) && descriptor(m).equals(descriptor)) {
                return m;
            }
        }
        return null;
    }
}
