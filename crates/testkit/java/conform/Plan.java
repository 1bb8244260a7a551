package conform;

import java.io.*;
import java.lang.reflect.*;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.regex.Pattern;
import java.util.stream.*;

/**
 * Writes the calls as Java source: {@code Plan OUT EXCLUDED RECIPES UNCOMPILABLE SELECTED...}. For each class a class
 * {@code conform.C_java_util_BitSet} with a method a member of it; {@code conform.Make} makes values of the types that
 * occur. A line of {@code OUT/index.txt} a member: class of the calls, number, {@code class#name(types)}, or a reason
 * why it is left out.
 */
public final class Plan {
    private static final String[] PACKAGES = {
        "java.lang", "java.lang.reflect", "java.util", "java.util.function", "java.util.stream", "java.util.regex",
        "java.util.concurrent", "java.util.concurrent.atomic", "java.util.concurrent.locks", "java.text", "java.math",
        "java.time", "java.time.chrono", "java.time.format", "java.time.temporal", "java.time.zone", "java.nio",
        "java.nio.charset", "java.io"
    };

    private final List<Class<?>> universe = new ArrayList<>();
    private final Map<String, List<String>> recipes = new LinkedHashMap<>();
    private final List<Map.Entry<Pattern, String>> excluded = new ArrayList<>();
    private final Set<String> uncompilable = new HashSet<>();
    /** How deep the shallowest producer of a type is; absent if there is none. */
    private final Map<Class<?>, Integer> ranks = new HashMap<>();
    private final Map<Class<?>, List<Producer>> producers = new HashMap<>();
    private final Map<Class<?>, Integer> makers = new LinkedHashMap<>();
    private final Deque<Class<?>> pending = new ArrayDeque<>();
    private final PrintWriter index;
    private final Path out;

    /** A way to make a value: an expression, or a member with parameters and perhaps a receiver. */
    private record Producer(String expression, Executable member, Class<?> receiver) {
        List<Class<?>> needs() {
            List<Class<?>> all = new ArrayList<>();
            if (receiver != null) {
                all.add(receiver);
            }
            if (member != null) {
                all.addAll(Arrays.asList(member.getParameterTypes()));
            }
            return all;
        }
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(Path.of(arguments[0]), Path.of(arguments[1]), Path.of(arguments[2]), Path.of(arguments[3]));
        plan.write(Arrays.asList(arguments).subList(4, arguments.length));
    }

    private Plan(Path out, Path excludedFile, Path recipesFile, Path uncompilableFile) throws Exception {
        this.out = Files.createDirectories(out);
        index = new PrintWriter(Files.newBufferedWriter(out.resolve("index.txt")));
        for (String line : lines(excludedFile)) {
            String[] parts = line.split("\\s+", 2);
            excluded.add(Map.entry(glob(parts[0]), parts[1]));
        }
        for (String line : lines(recipesFile)) {
            String[] parts = line.split("\\s+", 2);
            recipes.computeIfAbsent(parts[0], k -> new ArrayList<>()).add(parts[1]);
        }
        if (Files.exists(uncompilableFile)) {
            uncompilable.addAll(Files.readAllLines(uncompilableFile));
        }
        FileSystem image = FileSystems.getFileSystem(URI.create("jrt:/"));
        for (String name : PACKAGES) {
            Path folder = image.getPath("modules/java.base", name.replace('.', '/'));
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.sorted().toList()) {
                    String text = file.getFileName().toString();
                    if (text.endsWith(".class") && !text.contains("-")) {
                        Class<?> type = Class.forName(name + "." + text.substring(0, text.length() - 6), false, null);
                        if (isOpen(type)) {
                            universe.add(type);
                        }
                    }
                }
            }
        }
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream().filter(l -> !l.isBlank() && !l.startsWith("#")).toList();
    }

    private static Pattern glob(String text) {
        return Pattern.compile(Arrays.stream(text.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
    }

    private static boolean isOpen(Class<?> type) {
        for (Class<?> at = type; at != null; at = at.getEnclosingClass()) {
            if (!Modifier.isPublic(at.getModifiers()) || at.isAnonymousClass() || at.isSynthetic()) {
                return false;
            }
        }
        return true;
    }

    private void write(List<String> selected) throws Exception {
        findProducers();
        List<Pattern> patterns = selected.stream().map(Plan::glob).toList();
        for (Class<?> type : universe) {
            if (patterns.stream().anyMatch(p -> p.matcher(type.getName()).matches())) {
                writeCalls(type);
            }
        }
        writeMakers();
        index.close();
    }

    // Which types can be made.

    private void findProducers() {
        for (Class<?> type : universe) {
            List<Producer> found = new ArrayList<>();
            if (recipes.containsKey(type.getName())) {
                recipes.get(type.getName()).forEach(text -> found.add(new Producer(text, null, null)));
            } else if (!isFunctional(type) && !type.isEnum()) {
                for (Executable member : members(type)) {
                    boolean makes = member instanceof Constructor
                        || Modifier.isStatic(member.getModifiers()) && ((Method) member).getReturnType() == type;
                    if (makes && reason(member) == null) {
                        found.add(new Producer(null, member, null));
                    }
                }
                for (Field field : type.getFields()) {
                    if (Modifier.isStatic(field.getModifiers()) && field.getType() == type && field.getDeclaringClass() == type) {
                        found.add(new Producer(name(type) + "." + field.getName(), null, null));
                    }
                }
            }
            producers.put(type, found);
        }
        for (Class<?> type : universe) {
            if (producers.get(type).isEmpty() && !isFunctional(type) && !type.isEnum()) {
                universe.stream()
                    .filter(sub -> sub != type && type.isAssignableFrom(sub) && !producers.get(sub).isEmpty())
                    .filter(sub -> sub.getPackage() == type.getPackage())
                    .limit(6)
                    .forEach(sub -> producers.get(type).add(new Producer("Make.@(g)", null, sub)));
            }
        }
        for (Class<?> type : universe) {
            if (producers.get(type).isEmpty() && !isFunctional(type) && !type.isEnum()) {
                universe.stream()
                    .flatMap(owner -> members(owner).stream())
                    .filter(member -> member instanceof Method && ((Method) member).getReturnType() == type)
                    .filter(member -> reason(member) == null)
                    .limit(4)
                    .forEach(member -> producers.get(type).add(new Producer(null, member,
                        Modifier.isStatic(member.getModifiers()) ? null : member.getDeclaringClass())));
            }
        }
        // Ranks by iteration: what needs nothing first.
        for (boolean changed = true; changed;) {
            changed = false;
            for (Class<?> type : universe) {
                for (Producer producer : producers.get(type)) {
                    OptionalInt rank = rank(producer);
                    if (rank.isPresent() && rank.getAsInt() < ranks.getOrDefault(type, 99)) {
                        ranks.put(type, rank.getAsInt());
                        changed = true;
                    }
                }
            }
        }
        for (Class<?> type : universe) {
            producers.get(type).removeIf(producer -> rank(producer).isEmpty());
            producers.get(type).sort(Comparator.comparingInt(producer -> rank(producer).getAsInt()));
        }
    }

    private OptionalInt rank(Producer producer) {
        int most = 0;
        for (Class<?> need : producer.needs()) {
            OptionalInt rank = rank(need);
            if (rank.isEmpty()) {
                return rank;
            }
            most = Math.max(most, rank.getAsInt());
        }
        return OptionalInt.of(most + 1);
    }

    private OptionalInt rank(Class<?> type) {
        if (type.isArray()) {
            return rank(type.getComponentType());
        }
        if (leaf(type) != null || type.isEnum() && isOpen(type) || isFunctional(type) && isOpen(type)) {
            return OptionalInt.of(0);
        }
        return ranks.containsKey(type) ? OptionalInt.of(ranks.get(type)) : OptionalInt.empty();
    }

    private static String leaf(Class<?> type) {
        return switch (type.getName()) {
            case "boolean", "java.lang.Boolean" -> "g.z()";
            case "byte", "java.lang.Byte" -> "g.b()";
            case "short", "java.lang.Short" -> "g.s()";
            case "char", "java.lang.Character" -> "g.c()";
            case "int", "java.lang.Integer" -> "g.i()";
            case "long", "java.lang.Long" -> "g.j()";
            case "float", "java.lang.Float" -> "g.f()";
            case "double", "java.lang.Double" -> "g.d()";
            case "java.lang.String", "java.lang.CharSequence" -> "g.str()";
            case "java.lang.Object", "java.lang.Comparable" -> "(" + type.getName() + ") g.obj()";
            case "java.lang.Class" -> "g.type()";
            case "java.util.Locale" -> "g.locale()";
            case "java.util.Collection", "java.lang.Iterable" -> "g.collection()";
            case "java.util.List" -> "g.list()";
            case "java.util.Set" -> "g.set()";
            case "java.util.Map" -> "g.map()";
            default -> null;
        };
    }

    private static Optional<Method> only(Class<?> type) {
        if (!type.isInterface()) {
            return Optional.empty();
        }
        List<Method> abstracts = Arrays.stream(type.getMethods())
            .filter(m -> Modifier.isAbstract(m.getModifiers()))
            .filter(m -> Arrays.stream(Object.class.getMethods()).noneMatch(o ->
                o.getName().equals(m.getName()) && Arrays.equals(o.getParameterTypes(), m.getParameterTypes())))
            .toList();
        return abstracts.size() == 1 ? Optional.of(abstracts.get(0)) : Optional.empty();
    }

    private boolean isFunctional(Class<?> type) {
        if (leaf(type) != null || recipes.containsKey(type.getName())) {
            return false;
        }
        Optional<Method> only = only(type);
        return only.isPresent() && !type.getName().startsWith("java.lang.reflect.")
            && Arrays.stream(only.get().getTypeParameters()).count() == 0
            && (type.isAnnotationPresent(FunctionalInterface.class) || only.get().getReturnType().isPrimitive()
                || only.get().getReturnType() == Object.class || only.get().getReturnType() == String.class);
    }

    // The members of a class that are called.

    private static List<Executable> members(Class<?> type) {
        List<Executable> all = new ArrayList<>();
        if (!Modifier.isAbstract(type.getModifiers())) {
            all.addAll(Arrays.asList(type.getConstructors()));
        }
        for (Method method : type.getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers()) && !method.isBridge() && !method.isSynthetic()) {
                all.add(method);
            }
        }
        all.sort(Comparator.comparing(Plan::key));
        return all;
    }

    private static String key(Executable member) {
        String types = Arrays.stream(member.getParameterTypes()).map(Class::getTypeName).collect(Collectors.joining(","));
        String name = member instanceof Constructor ? "new" : member.getName();
        return member.getDeclaringClass().getName() + "#" + name + "(" + types + ")";
    }

    private String reason(Executable member) {
        String key = key(member);
        for (Map.Entry<Pattern, String> rule : excluded) {
            if (rule.getKey().matcher(key).matches()) {
                return rule.getValue();
            }
        }
        return uncompilable.contains(key) ? "a call written in Java by its erased types does not compile" : null;
    }

    private String unmakeable(Executable member) {
        List<Class<?>> needs = new ArrayList<>(Arrays.asList(member.getParameterTypes()));
        if (isInstance(member)) {
            needs.add(member.getDeclaringClass());
        }
        for (Class<?> need : needs) {
            if (rank(need).isEmpty()) {
                return "no way to make a " + need.getTypeName();
            }
        }
        return null;
    }

    private static boolean isInstance(Executable member) {
        return member instanceof Method && !Modifier.isStatic(member.getModifiers());
    }

    private void writeCalls(Class<?> type) throws IOException {
        String callsName = "C_" + type.getName().replace('.', '_').replace('$', '_');
        List<Executable> called = new ArrayList<>();
        for (Executable member : members(type)) {
            String reason = reason(member);
            reason = reason != null ? reason : unmakeable(member);
            if (reason != null) {
                index.println("- - " + key(member) + " " + reason);
            } else {
                index.println(callsName + " " + called.size() + " " + key(member));
                called.add(member);
            }
        }
        if (called.isEmpty()) {
            return;
        }
        StringWriter text = new StringWriter();
        PrintWriter w = new PrintWriter(text);
        w.println("package conform;\n\n@SuppressWarnings({\"all\"})\npublic final class " + callsName + " {");
        w.println("public static int count() { return " + called.size() + "; }");
        w.println("public static String run(int m, long seed) {\nGen g = new Gen(seed);\nOut o = new Out();\ntry {\nswitch (m) {");
        for (int k = 0; k < called.size(); k++) {
            w.println("case " + k + ": m" + k + "(g, o); break;");
        }
        w.println("}\n} catch (OutOfMemoryError e) {\nreturn \"- memory\";\n} catch (Throwable t) {\no.threw(t, g.started);\n}");
        w.println("return o.toString();\n}");
        for (int k = 0; k < called.size(); k++) {
            writeCall(w, type, called.get(k), k);
        }
        List<Executable> pokes = called.stream().filter(Plan::isInstance).filter(m -> !m.getName().equals("close")).toList();
        if (pokes.isEmpty()) {
            w.println("static void poke(" + name(type) + " r, Gen g) {\n}");
        } else {
            w.println("static void poke(" + name(type) + " r, Gen g) {\ntry {\nswitch (g.next(" + pokes.size() + ")) {");
            for (int k = 0; k < pokes.size(); k++) {
                w.println("case " + k + ": p" + k + "(r, g); break;");
            }
            w.println("}\n} catch (StackOverflowError | OutOfMemoryError e) {\nthrow e;\n} catch (Throwable t) {\n}\n}");
            for (int k = 0; k < pokes.size(); k++) {
                w.println("static void p" + k + "(" + name(type) + " r, Gen g) throws Throwable {");
                Executable member = pokes.get(k);
                arguments(w, member);
                w.println(call(member, "r") + ";//" + key(member) + "\n}");
            }
        }
        w.println("static void look(" + name(type) + " r, Out o) {\nif (r == null) return;");
        for (Executable member : called) {
            if (isInstance(member) && isGetter((Method) member)) {
                w.println("o.look(\"" + member.getName() + "\", () -> r." + member.getName() + "());//" + key(member));
            }
        }
        w.println("}\n}");
        w.flush();
        Files.writeString(out.resolve(callsName + ".java"), text.toString());
    }

    private static boolean isGetter(Method method) {
        Class<?> result = method.getReturnType();
        boolean plain = result.isPrimitive() && result != void.class || result == String.class;
        return plain && method.getParameterCount() == 0
            && method.getName().matches("(get|is|has)[A-Z].*|size|length|isEmpty|available|toPattern|toLocalizedPattern");
    }

    private void writeCall(PrintWriter w, Class<?> type, Executable member, int number) {
        w.println("static void m" + number + "(Gen g, Out o) throws Throwable {");
        boolean instance = isInstance(member);
        if (instance) {
            w.println(name(type) + " r = " + make(type) + ";");
            if (leaf(type) == null && !type.isEnum() && !isFunctional(type)) {
                w.println("for (int n = g.next(3); n > 0; n--) poke(r, g);");
            }
        }
        arguments(w, member);
        w.println("g.started = true;");
        String call = call(member, "r") + ";//" + key(member);
        boolean gives = member instanceof Constructor || ((Method) member).getReturnType() != void.class;
        if (gives) {
            Class<?> result = member instanceof Constructor ? type : ((Method) member).getReturnType();
            boolean looked = result == type && !result.isPrimitive();
            w.println((looked ? name(result) : "Object") + " z = " + (looked ? "(" + name(result) + ") " : "") + call);
            w.println("o.result(z);");
            if (looked) {
                w.println("look(z, o);");
            }
        } else {
            w.println(call + "\no.done();");
        }
        if (instance) {
            w.println("o.after(r);\nlook(r, o);");
        }
        Class<?>[] types = member.getParameterTypes();
        for (int k = 0; k < types.length; k++) {
            if (!types[k].isPrimitive() && types[k] != String.class && types[k] != Class.class && !isFunctional(types[k])) {
                w.println("o.after(a" + k + ");");
            }
        }
        w.println("}");
    }

    private void arguments(PrintWriter w, Executable member) {
        Class<?>[] types = member.getParameterTypes();
        for (int k = 0; k < types.length; k++) {
            String value = make(types[k]);
            if (!types[k].isPrimitive()) {
                value = "g.isNull() ? null : " + value;
            }
            w.println(name(types[k]) + " a" + k + " = " + value + ";//" + key(member));
        }
    }

    private String call(Executable member, String receiver) {
        String arguments = IntStream.range(0, member.getParameterCount()).mapToObj(k -> "a" + k)
            .collect(Collectors.joining(", ", "(", ")"));
        String owner = name(member.getDeclaringClass());
        if (member instanceof Constructor) {
            return "new " + owner + arguments;
        }
        return (isInstance(member) ? receiver : owner) + "." + member.getName() + arguments;
    }

    private static String name(Class<?> type) {
        return type.isArray() ? name(type.getComponentType()) + "[]" : type.getCanonicalName();
    }

    /** An expression that makes a value of the type, never null. */
    private String make(Class<?> type) {
        String leaf = leaf(type);
        if (leaf != null) {
            return leaf;
        }
        if (!makers.containsKey(type)) {
            makers.put(type, makers.size());
            pending.add(type);
        }
        return "Make.t" + makers.get(type) + "(g)";
    }

    private void writeMakers() throws IOException {
        StringWriter text = new StringWriter();
        PrintWriter w = new PrintWriter(text);
        w.println("package conform;\n\nimport java.util.*;\n\n@SuppressWarnings({\"all\"})\npublic final class Make {");
        while (!pending.isEmpty()) {
            Class<?> type = pending.poll();
            w.println("static " + name(type) + " t" + makers.get(type) + "(Gen g) throws Throwable {");
            if (type.isArray()) {
                writeArray(w, type);
            } else if (type.isEnum()) {
                w.println(name(type) + "[] all = " + name(type) + ".values();\nreturn all[g.next(all.length)];");
            } else if (isFunctional(type)) {
                writeFunction(w, type);
            } else {
                writeProducers(w, type);
            }
            w.println("}");
        }
        w.println("}");
        w.flush();
        Files.writeString(out.resolve("Make.java"), text.toString());
    }

    private void writeArray(PrintWriter w, Class<?> type) {
        Class<?> elem = type.getComponentType();
        Class<?> base = elem;
        String dims = "";
        while (base.isArray()) {
            base = base.getComponentType();
            dims += "[]";
        }
        if (elem == Object.class || elem == Comparable.class) {
            w.println("Object[] all = g.elements();\nreturn " + (elem == Object.class ? "all;" : "Arrays.copyOf(all, all.length, Comparable[].class);"));
            return;
        }
        w.println(name(type) + " all = new " + name(base) + "[g.size()]" + dims + ";");
        w.println("for (int k = 0; k < all.length; k++) all[k] = " + (elem.isPrimitive() ? "" : "g.isNull() ? null : ") + make(elem) + ";");
        w.println("return all;");
    }

    private void writeFunction(PrintWriter w, Class<?> type) {
        Method method = only(type).get();
        String names = IntStream.range(0, method.getParameterCount()).mapToObj(k -> "x" + k).collect(Collectors.joining(", "));
        w.println("int salt = g.next(100);\nreturn (" + names + ") -> " + result(method.getReturnType(), names) + ";");
    }

    private String result(Class<?> type, String names) {
        String salted = names.isEmpty() ? "salt" : "salt, " + names;
        return switch (type.getName()) {
            case "void" -> "Gen.hash(" + salted + ")";
            case "boolean" -> "(Gen.hash(" + salted + ") & 1) == 0";
            case "int", "long", "double" -> "Gen.hash(" + salted + ") % 10";
            case "java.lang.String" -> "\"r\" + Gen.hash(" + salted + ") % 10";
            case "java.lang.Object" -> "Gen.result(" + salted + ")";
            default -> leaf(type) != null ? made(leaf(type), salted)
                : rank(type).isPresent() ? "Gen.made(() -> " + made(make(type), salted) + ")" : "null";
        };
    }

    private static String made(String expression, String salted) {
        String fresh = "new Gen(Gen.hash(" + salted + "))";
        return expression.replace("(g)", "(" + fresh + ")").replaceFirst("^(\\(.*\\) )?g\\.", "$1" + fresh + ".");
    }

    private void writeProducers(PrintWriter w, Class<?> type) {
        List<Producer> ways = producers.get(type);
        w.println("for (int tries = 0;; tries++) {\nint way = g.deeper() ? g.next(" + ways.size() + ") : 0;\ntry {\nswitch (way) {");
        for (int k = 0; k < ways.size(); k++) {
            Producer way = ways.get(k);
            w.println("case " + k + ": {");
            if (way.expression() != null && way.receiver() != null) {
                w.println("return " + make(way.receiver()) + ";\n}");
            } else if (way.expression() != null) {
                w.println("return (" + name(type) + ") " + way.expression() + ";\n}");
            } else {
                if (way.receiver() != null) {
                    w.println(name(way.receiver()) + " r = " + make(way.receiver()) + ";");
                }
                arguments(w, way.member());
                w.println(name(type) + " made = (" + name(type) + ") " + call(way.member(), "r") + ";//" + key(way.member()));
                w.println("if (made != null) return made;\nbreak;\n}");
            }
        }
        w.println("}\n} catch (Exception e) {\nif (tries > 4) throw e;\n} finally {\ng.up();\n}");
        w.println("if (tries > 8) throw new IllegalStateException();\n}");
    }
}
