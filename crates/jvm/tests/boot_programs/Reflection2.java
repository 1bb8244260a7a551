import java.io.*;
import java.lang.annotation.*;
import java.lang.invoke.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

/** Reflection as programs use it: annotations, proxies, generics, records, enums, handles. */
public class Reflection2 {
    /** Java 20 and later; earlier ones have no such method. */
    private static void accessFlags() throws Exception {
        try {
            Method flags = Class.class.getMethod("accessFlags");
            for (Class<?> type : new Class<?>[] {String.class, Runnable.class, Color.class, Map.Entry.class}) {
                System.out.println(new TreeSet<>((Set<?>) flags.invoke(type)));
            }
        } catch (NoSuchMethodException e) {
            System.out.println("no flags");
        }
    }

    enum Color {
        RED("r"), GREEN("g") {
            @Override
            String shade() {
                return "dark";
            }
        };

        private final String code;

        Color(String code) {
            this.code = code;
        }

        String shade() {
            return "plain";
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD, ElementType.FIELD, ElementType.PARAMETER})
    @interface Info {
        String value() default "none";

        int[] numbers() default {1, 2};

        Color color() default Color.RED;

        Class<?> type() default String.class;

        Nested nested() default @Nested("inner");
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Nested {
        String value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @interface Family {
    }

    record Point(@Info int x, List<String> names) {
        Point {
            if (x < 0) {
                throw new IllegalArgumentException("negative");
            }
        }
    }

    sealed interface Shape permits Circle, Square {
    }

    record Circle(double r) implements Shape {
    }

    record Square(double a) implements Shape {
    }

    @Family
    @Info("base")
    static class Base<T extends Comparable<T>> {
        protected int number = 3;
        public T value;
        private static final String CONSTANT = "c";
        final long fixed;

        Base(long fixed) {
            this.fixed = fixed;
        }

        @Info(value = "method", numbers = {7}, color = Color.GREEN, type = Map.class)
        @Deprecated
        public <X extends Exception> List<? super T> work(@Info("p") int count, T... more) throws X, IOException {
            return null;
        }

        private String secret(String who) {
            return "secret of " + who + number;
        }
    }

    static class Derived extends Base<Integer> implements Runnable, Serializable {
        public Derived() {
            super(9);
        }

        @Override
        public void run() {
            throw new UnsupportedOperationException("run");
        }

        public static int twice(int x) {
            return 2 * x;
        }
    }

    interface Greeter {
        String greet(String name);

        default String polite(String name) {
            return "dear " + greet(name);
        }

        int count(int... numbers);
    }

    public static void main(String[] args) throws Throwable {
        classes();
        accessFlags();
        members();
        annotations();
        proxies();
        enums();
        arrays();
        handles();
        generics();
    }

    static void classes() throws Exception {
        for (Class<?> c : List.of(int.class, int[][].class, String.class, Map.Entry.class, Color.class, Color.GREEN.getClass(),
            Derived.class, Point.class, Shape.class, Info.class, void.class, Runnable[].class)) {
            System.out.println(c + " " + c.getName() + " " + c.getSimpleName() + " " + c.getTypeName() + " " + c.getCanonicalName()
                + " " + c.getPackageName() + " " + Modifier.toString(c.getModifiers()) + " " + c.isInterface() + c.isEnum() + c.isRecord()
                + c.isArray() + c.isPrimitive() + c.isAnnotation() + c.isSealed() + c.isAnonymousClass() + c.isMemberClass()
                + " " + c.getSuperclass() + " " + Arrays.toString(c.getInterfaces()) + " " + c.getEnclosingClass() + " " + c.getDeclaringClass());
        }
        System.out.println(Class.forName("java.util.ArrayList").getDeclaredConstructor().newInstance());
        System.out.println(Class.forName("[Ljava.lang.String;") + " " + Class.forName("Reflection2$Color"));
        try {
            Class.forName("no.such.Thing");
        } catch (ClassNotFoundException e) {
            System.out.println(e);
        }
        System.out.println(Arrays.toString(Shape.class.getPermittedSubclasses()));
        System.out.println(Number.class.isAssignableFrom(Integer.class) + " " + Integer.class.isInstance(3) + " " + Number.class.cast(4));
        Object anonymous = new Object() { };
        System.out.println(anonymous.getClass().getName() + " " + anonymous.getClass().getEnclosingMethod());
        System.out.println(Arrays.asList(Reflection2.class.getNestMembers()).size() > 5);
        System.out.println(Reflection2.class.getClassLoader() == ClassLoader.getSystemClassLoader());
        System.out.println(String.class.getClassLoader() + " " + String.class.getModule().getName());
        System.out.println(Reflection2.class.desiredAssertionStatus());
        System.out.println(int[].class.arrayType() + " " + int[].class.componentType());
        System.out.println(Thread.currentThread().getContextClassLoader() != null);
    }

    static <M extends Member> List<M> sorted(M[] members) {
        return Arrays.stream(members).sorted(Comparator.comparing(Object::toString)).collect(Collectors.toList());
    }

    static void members() throws Exception {
        for (Class<?> c : List.of(Base.class, Derived.class, Point.class, Greeter.class, Color.class)) {
            sorted(c.getDeclaredFields()).forEach(f -> System.out.println(f + " | " + f.toGenericString()));
            sorted(c.getDeclaredMethods()).stream().filter(m -> !m.isSynthetic())
                .forEach(m -> System.out.println(m + " | " + m.toGenericString() + " " + m.isVarArgs() + m.isDefault() + m.isBridge()));
            sorted(c.getDeclaredConstructors()).forEach(k -> System.out.println(k + " | " + k.toGenericString()));
        }
        Derived object = new Derived();
        Field number = Base.class.getDeclaredField("number");
        number.setAccessible(true);
        number.setInt(object, 8);
        System.out.println(number.get(object) + " " + number.getInt(object));
        Method secret = Base.class.getDeclaredMethod("secret", String.class);
        secret.setAccessible(true);
        System.out.println(secret.invoke(object, "me"));
        System.out.println(Derived.class.getMethod("twice", int.class).invoke(null, 21));
        try {
            Derived.class.getMethod("run").invoke(object);
        } catch (InvocationTargetException e) {
            System.out.println(e.getCause());
        }
        try {
            secret.invoke(object, 3);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        try {
            secret.invoke(object);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        try {
            Derived.class.getMethod("absent");
        } catch (NoSuchMethodException e) {
            System.out.println(e.getMessage());
        }
        try {
            Derived.class.getField("absent");
        } catch (NoSuchFieldException e) {
            System.out.println(e.getMessage());
        }
        Field fixed = Base.class.getDeclaredField("fixed");
        try {
            fixed.set(object, 1L);
        } catch (IllegalAccessException e) {
            System.out.println("final");
        }
        fixed.setAccessible(true);
        fixed.set(object, 77L);
        System.out.println(fixed.getLong(object));
        try {
            number.set(object, "text");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        Constructor<Point> point = Point.class.getDeclaredConstructor(int.class, List.class);
        System.out.println(point.newInstance(3, List.of("a")));
        try {
            point.newInstance(-3, List.of("a"));
        } catch (InvocationTargetException e) {
            System.out.println(e.getTargetException().getMessage());
        }
        for (RecordComponent component : Point.class.getRecordComponents()) {
            System.out.println(component.getName() + " " + component.getGenericType() + " " + component.getAccessor().invoke(new Point(1, null)));
        }
        Parameter[] parameters = Base.class.getMethod("work", int.class, Comparable[].class).getParameters();
        System.out.println(parameters.length + " " + parameters[0].getType() + " " + parameters[0].getAnnotation(Info.class).value());
    }

    static void annotations() throws Exception {
        Info info = Base.class.getAnnotation(Info.class);
        System.out.println(info.value() + Arrays.toString(info.numbers()) + info.color() + info.type() + info.nested().value());
        System.out.println(info.annotationType() + " " + info.equals(Base.class.getAnnotation(Info.class)));
        System.out.println(Derived.class.isAnnotationPresent(Family.class) + " " + Derived.class.isAnnotationPresent(Info.class));
        Method work = Base.class.getMethod("work", int.class, Comparable[].class);
        System.out.println(work.getAnnotation(Info.class).color() + " " + work.isAnnotationPresent(Deprecated.class));
        System.out.println(Arrays.stream(work.getAnnotations()).map(a -> a.annotationType().getSimpleName()).sorted().collect(Collectors.toList()));
        System.out.println(info.toString().length() + " " + info.nested());
        System.out.println(info.hashCode() == Base.class.getAnnotation(Info.class).hashCode());
        System.out.println(Info.class.getMethod("numbers").getDefaultValue() instanceof int[]);
    }

    static void proxies() {
        List<String> log = new ArrayList<>();
        InvocationHandler handler = (proxy, method, arguments) -> {
            log.add(method.getName() + Arrays.deepToString(arguments));
            if (method.isDefault()) {
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            return switch (method.getName()) {
                case "greet" -> "hello " + arguments[0];
                case "count" -> ((int[]) arguments[0]).length;
                case "toString" -> "proxy";
                case "hashCode" -> 5;
                case "equals" -> proxy == arguments[0];
                default -> null;
            };
        };
        Greeter greeter = (Greeter) Proxy.newProxyInstance(Reflection2.class.getClassLoader(), new Class<?>[] {Greeter.class}, handler);
        System.out.println(greeter.greet("you") + greeter.count(1, 2, 3) + greeter + greeter.hashCode() + greeter.equals(greeter));
        System.out.println(greeter.polite("sir"));
        System.out.println(Proxy.isProxyClass(greeter.getClass()) + " " + (Proxy.getInvocationHandler(greeter) == handler));
        System.out.println(log);
        Runnable failing = (Runnable) Proxy.newProxyInstance(null, new Class<?>[] {Runnable.class}, (p, m, a) -> {
            throw new IOException("checked");
        });
        try {
            failing.run();
        } catch (UndeclaredThrowableException e) {
            System.out.println(e.getCause());
        }
    }

    static void enums() {
        System.out.println(Color.valueOf("RED") + " " + Enum.valueOf(Color.class, "GREEN").shade() + Arrays.toString(Color.values()));
        try {
            Color.valueOf("BLUE");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(Arrays.toString(Color.class.getEnumConstants()) + Color.GREEN.getDeclaringClass());
        EnumMap<Color, Integer> map = new EnumMap<>(Color.class);
        map.put(Color.GREEN, 1);
        System.out.println(map + " " + EnumSet.allOf(Color.class) + EnumSet.noneOf(Color.class));
        System.out.println(switch (Color.GREEN) { case RED -> 1; case GREEN -> 2; });
    }

    static void arrays() {
        Object array = Array.newInstance(int.class, 3);
        Array.setInt(array, 1, 5);
        System.out.println(Arrays.toString((int[]) array) + Array.getLength(array) + Array.get(array, 1));
        System.out.println(Arrays.deepToString((Object[]) Array.newInstance(String.class, 2, 3)));
        try {
            Array.set(array, 0, "x");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
    }

    static int sum(int a, int b) {
        return a + b;
    }

    volatile int counter = 4;

    static void handles() throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodHandle sum = lookup.findStatic(Reflection2.class, "sum", MethodType.methodType(int.class, int.class, int.class));
        System.out.println((int) sum.invokeExact(3, 4) + " " + sum.invoke(5, 6) + " " + sum.invokeWithArguments(7, 8));
        MethodHandle length = lookup.findVirtual(String.class, "length", MethodType.methodType(int.class));
        System.out.println((int) length.invokeExact("four"));
        MethodHandle bound = MethodHandles.insertArguments(sum, 0, 100);
        System.out.println((int) bound.invokeExact(1));
        MethodHandle maker = lookup.findConstructor(ArrayList.class, MethodType.methodType(void.class, Collection.class));
        System.out.println((Object) maker.invoke(List.of(1)));
        MethodHandle upper = lookup.findVirtual(String.class, "toUpperCase", MethodType.methodType(String.class));
        System.out.println((String) MethodHandles.filterReturnValue(upper, lookup.findVirtual(String.class, "trim",
            MethodType.methodType(String.class))).invokeExact(" x "));
        System.out.println(sum.type() + " " + length.bindTo("z").type() + " " + sum.asType(MethodType.methodType(long.class, byte.class, int.class)).type());
        VarHandle counter = lookup.findVarHandle(Reflection2.class, "counter", int.class);
        Reflection2 object = new Reflection2();
        System.out.println((int) counter.getAndAdd(object, 3) + " " + counter.compareAndSet(object, 7, 9) + " " + (int) counter.getVolatile(object));
        VarHandle elements = MethodHandles.arrayElementVarHandle(long[].class);
        long[] longs = {1, 2};
        elements.setVolatile(longs, 1, 40L);
        System.out.println(Arrays.toString(longs));
        VarHandle bytes = MethodHandles.byteArrayViewVarHandle(int[].class, java.nio.ByteOrder.BIG_ENDIAN);
        byte[] raw = new byte[8];
        bytes.set(raw, 2, 0x01020304);
        System.out.println(Arrays.toString(raw));
        try {
            lookup.findStatic(Reflection2.class, "absent", MethodType.methodType(void.class));
        } catch (NoSuchMethodException e) {
            System.out.println(e.getMessage());
        }
        Supplier<String> supplier = (Supplier<String> & Serializable) () -> "serial";
        System.out.println(supplier.get());
        MethodHandle guard = MethodHandles.guardWithTest(
            lookup.findVirtual(String.class, "isEmpty", MethodType.methodType(boolean.class)),
            MethodHandles.dropArguments(MethodHandles.constant(String.class, "empty"), 0, String.class),
            MethodHandles.identity(String.class));
        System.out.println((String) guard.invokeExact("") + (String) guard.invokeExact("full"));
    }

    static class Holder<K, V extends List<? extends Number>> extends HashMap<K, V[]> {
    }

    static void generics() throws Exception {
        System.out.println(Holder.class.getGenericSuperclass());
        for (TypeVariable<?> variable : Holder.class.getTypeParameters()) {
            System.out.println(variable + " " + Arrays.toString(variable.getBounds()));
        }
        Type result = Base.class.getMethod("work", int.class, Comparable[].class).getGenericReturnType();
        System.out.println(result + " " + ((ParameterizedType) result).getRawType() + " "
            + Arrays.toString(((WildcardType) ((ParameterizedType) result).getActualTypeArguments()[0]).getLowerBounds()));
        System.out.println(Derived.class.getGenericSuperclass());
    }
}
