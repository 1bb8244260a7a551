import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
import java.util.stream.*;

/** Atomics, concurrent collections, locks, streams, functions: in one thread. */
public class Concurrent {
    public static void main(String[] args) throws Exception {
        AtomicInteger i = new AtomicInteger(3);
        System.out.println(i.incrementAndGet() + " " + i.compareAndSet(4, 10) + " " + i.getAndAdd(5) + " " + i);
        AtomicReference<String> ref = new AtomicReference<>("a");
        System.out.println(ref.compareAndSet("a", "b") + ref.get() + ref.getAndSet("c") + ref.updateAndGet(s -> s + "!"));
        AtomicBoolean flag = new AtomicBoolean();
        System.out.println(flag.getAndSet(true) + " " + flag);
        AtomicLong l = new AtomicLong(1);
        System.out.println(l.accumulateAndGet(41, Long::sum));
        LongAdder adder = new LongAdder();
        adder.add(5); adder.increment();
        System.out.println(adder.sum());
        ConcurrentHashMap<String, Integer> map = new ConcurrentHashMap<>();
        for (int k = 0; k < 40; k++) map.merge("k" + k % 7, k, Integer::sum);
        System.out.println(new TreeMap<>(map) + " " + map.computeIfAbsent("z", String::length) + " " + map.size());
        ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>(List.of(1, 2, 3));
        System.out.println(queue.poll() + " " + queue);
        CopyOnWriteArrayList<Integer> cow = new CopyOnWriteArrayList<>(List.of(3, 4));
        cow.add(5);
        System.out.println(cow);
        ReentrantLock lock = new ReentrantLock();
        lock.lock();
        try { System.out.println(lock.isHeldByCurrentThread() + " " + lock.getHoldCount()); } finally { lock.unlock(); }
        ReadWriteLock rw = new ReentrantReadWriteLock();
        rw.readLock().lock(); rw.readLock().unlock(); rw.writeLock().lock(); rw.writeLock().unlock();
        System.out.println(Stream.of("b", "a", "c").sorted().collect(Collectors.joining(",", "[", "]")));
        System.out.println(IntStream.rangeClosed(1, 10).filter(x -> x % 2 == 1).map(x -> x * x).sum());
        Map<Integer, Long> byLength = Stream.of("one", "two", "three").collect(Collectors.groupingBy(String::length, TreeMap::new, Collectors.counting()));
        System.out.println(byLength);
        System.out.println(Stream.iterate(1, x -> x * 2).limit(8).map(String::valueOf).collect(Collectors.toList()));
        System.out.println(IntStream.range(0, 5).boxed().collect(Collectors.toMap(x -> x, x -> x * x)));
        System.out.println(DoubleStream.of(1, 2, 3).average().getAsDouble() + " " + IntStream.of(3, 1, 2).summaryStatistics());
        Function<Integer, Integer> f = x -> x + 1;
        System.out.println(f.andThen(x -> x * 2).compose((Integer x) -> x - 3).apply(10));
        Optional<String> o = Optional.of("v").filter(s -> s.length() == 1).map(s -> s + s);
        System.out.println(o + " " + o.orElse("none") + Optional.empty().isPresent());
        Supplier<List<String>> supplier = ArrayList::new;
        System.out.println(supplier.get());
        BiFunction<String, Integer, Character> charAt = String::charAt;
        System.out.println(charAt.apply("hello", 1));
        FutureTask<Integer> task = new FutureTask<>(() -> 42);
        task.run();
        System.out.println(task.get() + " " + task.isDone());
        CompletableFuture<String> future = CompletableFuture.completedFuture("x").thenApply(s -> s + "y");
        System.out.println(future.get());
        ThreadLocal<Integer> local = ThreadLocal.withInitial(() -> 7);
        System.out.println(local.get());
        Random random = new Random(42);
        System.out.println(random.nextInt(100) + " " + random.nextDouble() + " " + random.nextLong());
        System.out.println(Objects.hash(1, "a", null) + " " + Objects.requireNonNullElse(null, "d"));
        StringBuilder sb = new StringBuilder();
        new TreeMap<>(Map.of(1, "a", 2, "b")).forEach((k, v) -> sb.append(k).append(v));
        System.out.println(sb);
        synchronized (lock) { System.out.println("sync"); }
        UUID uuid = UUID.nameUUIDFromBytes("x".getBytes());
        System.out.println(uuid);
        System.out.println(List.of(1, 2, 3).stream().reduce(0, Integer::sum) + " " + Arrays.stream(new int[] {1, 2}).sum());
        System.out.println(new StringJoiner("/").add("a").add("b"));
        BlockingQueue<Integer> blocking = new ArrayBlockingQueue<>(2);
        System.out.println(blocking.offer(1) + " " + blocking.offer(2) + " " + blocking.offer(3) + " " + blocking.take());
        System.out.println(new Scanner("12 abc 3.5").nextInt());
    }
}
