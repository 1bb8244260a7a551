import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.Label;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;

/**
 * Records which branch edges ran, by a probe on each.
 *
 * <p>Edges of a method are numbered in code order: a conditional jump has two (falls through, jumps), a switch has one a
 * distinct target, the default included, in the order they are first named (default first). Frames are dropped
 * instead of recomputed; the process runs without verification for that. An edge counts for a method when it ran in a
 * call of that method: what others do with it is no proof that a call of its own can reach the edge.
 */
public final class Edges implements UnaryOperator<byte[]>, Supplier<String>, Consumer<String> {
    private static final int API = Opcodes.ASM8;
    private static final Map<String, int[]> METHODS = new LinkedHashMap<>(); // name -> first probe, number of probes
    private static final BitSet HIT = new BitSet(); // in the present call
    private static final BitSet REACHED = new BitSet(); // in calls of the method itself
    private static final Map<String, Integer> REPORTED = new LinkedHashMap<>(); // edges reached when last asked
    private static int next;

    /** Called by probes. */
    public static void hit(int probe) {
        HIT.set(probe);
    }

    /** A call of this method ended. */
    @Override
    public void accept(String method) {
        int[] range = METHODS.getOrDefault(method, new int[] {0, 0});
        for (int i = range[0]; i < range[0] + range[1]; i++) {
            if (HIT.get(i)) {
                REACHED.set(i);
            }
        }
        HIT.clear();
    }

    /** What is new since last asked. */
    @Override
    public String get() {
        StringBuilder out = new StringBuilder();
        METHODS.forEach((name, range) -> {
            BitSet reached = REACHED.get(range[0], range[0] + range[1]);
            Integer before = REPORTED.put(name, reached.cardinality());
            if (before == null || before != reached.cardinality()) {
                String list = reached.stream().mapToObj(Integer::toString).collect(Collectors.joining(","));
                out.append(' ').append(name).append(':').append(range[1]).append(':').append(list);
            }
        });
        return out.toString();
    }

    @Override
    public byte[] apply(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassVisitor(API, writer) {
            private String owner;

            @Override
            public void visit(int version, int access, String name, String signature, String parent, String[] faces) {
                owner = name.replace('/', '.');
                super.visit(version, access, name, signature, parent, faces);
            }

            // Sealed classes: the library calls them experimental (JDK 17) or final (later). Left out, they are open.
            public void visitPermittedSubclassExperimental(String permitted) {}

            public void visitPermittedSubclass(String permitted) {}

            @Override
            public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] throwing) {
                MethodVisitor inner = super.visitMethod(access, name, desc, signature, throwing);
                return new Probes(inner, owner + "." + name + ":" + desc);
            }
        }, ClassReader.SKIP_FRAMES);
        return writer.toByteArray();
    }

    private static final class Probes extends MethodVisitor {
        private final int[] range;

        Probes(MethodVisitor inner, String method) {
            super(API, inner);
            range = new int[] {next, 0};
            METHODS.put(method, range);
        }

        private void probe() {
            range[1]++;
            visitLdcInsn(next++);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, "Edges", "hit", "(I)V", false);
        }

        @Override
        public void visitJumpInsn(int opcode, Label target) {
            if (opcode == Opcodes.GOTO || opcode == Opcodes.JSR) {
                super.visitJumpInsn(opcode, target);
                return;
            }
            Label taken = new Label();
            Label after = new Label();
            super.visitJumpInsn(opcode, taken);
            probe();
            super.visitJumpInsn(Opcodes.GOTO, after);
            super.visitLabel(taken);
            probe();
            super.visitJumpInsn(Opcodes.GOTO, target);
            super.visitLabel(after);
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
            Map<Label, Label> stubs = stubs(otherwise, Arrays.asList(labels));
            Label[] redirected = Arrays.stream(labels).map(stubs::get).toArray(Label[]::new);
            super.visitTableSwitchInsn(min, max, stubs.get(otherwise), redirected);
            land(stubs);
        }

        @Override
        public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
            Map<Label, Label> stubs = stubs(otherwise, Arrays.asList(labels));
            Label[] redirected = Arrays.stream(labels).map(stubs::get).toArray(Label[]::new);
            super.visitLookupSwitchInsn(stubs.get(otherwise), keys, redirected);
            land(stubs);
        }

        private Map<Label, Label> stubs(Label otherwise, List<Label> labels) {
            List<Label> all = new ArrayList<>();
            all.add(otherwise);
            all.addAll(labels);
            Map<Label, Label> stubs = new LinkedHashMap<>();
            all.forEach(label -> stubs.computeIfAbsent(label, l -> new Label()));
            return stubs;
        }

        private void land(Map<Label, Label> stubs) {
            stubs.forEach((target, stub) -> {
                super.visitLabel(stub);
                probe();
                super.visitJumpInsn(Opcodes.GOTO, target);
            });
        }
    }
}
