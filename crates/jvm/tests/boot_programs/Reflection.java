import java.lang.annotation.*;
import java.lang.reflect.*;
import java.util.*;

/** Reflection, annotations, records, proxies. */
public class Reflection {
    @Retention(RetentionPolicy.RUNTIME) @interface Tag { String value() default "none"; int level() default 3; Class<?> type() default Object.class; String[] names() default {"a", "b"}; }
    interface Shape { double area(); default String name() { return getClass().getSimpleName(); } }
    record Square(double side) implements Shape { public double area() { return side * side; } }
    @Tag(value = "circle", level = 7) static class Circle implements Shape {
        private final double r; public static int count = 5; protected String label = "c";
        public Circle(double r) { this.r = r; }
        public double area() { return 3 * r * r; }
        private int secret(int a, long b, String c) { return a + (int) b + c.length(); }
        static void fail() { throw new IllegalStateException("inside"); }
    }
    sealed interface Expr permits Num, Add {}
    record Num(int value) implements Expr {}
    record Add(Expr left, Expr right) implements Expr {}

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        Class<?> c = Class.forName("Reflection$Circle");
        System.out.println(c.getName() + " " + c.getSimpleName() + " " + Modifier.toString(c.getModifiers()) + " " + c.getSuperclass() + " " + Arrays.toString(c.getInterfaces()));
        System.out.println(c.getPackageName().isEmpty() + " " + c.getEnclosingClass() + " " + c.isMemberClass() + " " + int[].class.getName() + " " + String[][].class.getSimpleName() + " " + void.class);
        Constructor<?> constructor = c.getConstructor(double.class);
        Object circle = constructor.newInstance(2.0);
        System.out.println(constructor + " " + ((Shape) circle).area() + " " + ((Shape) circle).name());
        Method area = c.getMethod("area");
        System.out.println(area.invoke(circle) + " " + area);
        Method secret = c.getDeclaredMethod("secret", int.class, long.class, String.class);
        secret.setAccessible(true);
        System.out.println(secret.invoke(circle, 1, 2L, "abc") + " " + secret.invoke(circle, (byte) 1, 2, "x"));
        try {
            Method fail = c.getDeclaredMethod("fail");
            fail.setAccessible(true);
            fail.invoke(null);
        } catch (InvocationTargetException e) {
            System.out.println(e.getCause());
        }
        try {
            secret.invoke(circle, "wrong", 2L, "abc");
        } catch (IllegalArgumentException e) {
            System.out.println("IAE");
        }
        Field r = c.getDeclaredField("r");
        r.setAccessible(true);
        System.out.println(r.getDouble(circle) + " " + r.get(circle) + " " + c.getField("count").getInt(null));
        c.getField("count").setInt(null, 9);
        System.out.println(Circle.count);
        Field label = c.getDeclaredField("label");
        label.set(circle, "new");
        System.out.println(((Circle) circle).label);
        Tag tag = c.getAnnotation(Tag.class);
        System.out.println(tag.value() + tag.level() + tag.type() + Arrays.toString(tag.names()) + tag.annotationType());
        System.out.println(new Square(3) + " " + new Square(3).equals(new Square(3)) + " " + new Square(3).hashCode());
        for (RecordComponent component : Square.class.getRecordComponents()) System.out.println(component + " " + component.getAccessor().invoke(new Square(4)));
        System.out.println(Square.class.isRecord() + " " + Expr.class.isSealed() + " " + Arrays.toString(Expr.class.getPermittedSubclasses()));
        Expr e = new Add(new Num(1), new Num(2));
        if (e instanceof Add add && add.left() instanceof Num n) System.out.println(n.value() + " " + e);
        Object array = Array.newInstance(int.class, 3);
        Array.set(array, 1, 42);
        System.out.println(Array.getLength(array) + " " + Array.get(array, 1) + " " + Arrays.toString((int[]) array));
        System.out.println(Thread.currentThread().getName() + " " + Thread.currentThread().getThreadGroup().getName());
        System.out.println(Reflection.class.getClassLoader() != null ? "loader" : "boot");
        System.out.println(String.class.getClassLoader() + " " + String.class.getModule());
        System.out.println(Reflection.class.getClassLoader().loadClass("Reflection$Square").isRecord());
        try {
            Class.forName("com.example.Missing");
        } catch (ClassNotFoundException x) {
            System.out.println(x.getMessage());
        }
        List<String> methods = new ArrayList<>();
        for (Method m : Shape.class.getMethods()) methods.add(m.getName());
        Collections.sort(methods);
        System.out.println(methods);
        System.out.println(Reflection.class.getDeclaredMethod("main", String[].class).toGenericString());
        System.out.println(Map.class.getMethod("get", Object.class).getGenericReturnType());
        Object proxy = Proxy.newProxyInstance(Reflection.class.getClassLoader(), new Class<?>[] {Comparable.class, Shape.class}, (p, m, a) -> m.getName().equals("area") ? (Object) 1.5 : (Object) 7);
        System.out.println(((Comparable<Object>) proxy).compareTo("x") + " " + ((Shape) proxy).area() + " " + Proxy.isProxyClass(proxy.getClass()));
        Runnable lambda = () -> System.out.println("lambda ran");
        lambda.run();
        System.out.println(StackWalker.getInstance().walk(s -> s.map(StackWalker.StackFrame::getMethodName).findFirst()).get());
    }
}
