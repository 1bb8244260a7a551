import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.stream.*;

/** Executors, synchronizers, locks, futures, fork and join. */
public class Executors1 {
    public static void main(String[] args) throws Exception {
        pools();
        synchronizers();
        locks();
        futures();
        forks();
    }

    static void pools() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        List<Future<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int n = i;
            futures.add(pool.submit(() -> n * n));
        }
        int sum = 0;
        for (Future<Integer> future : futures) {
            sum += future.get();
        }
        System.out.println(sum);
        List<Callable<String>> tasks = List.of(() -> "a", () -> "b", () -> "c");
        for (Future<String> future : pool.invokeAll(tasks)) {
            System.out.print(future.get());
        }
        System.out.println(" " + pool.invokeAny(List.of(() -> "any")));
        Future<?> failing = pool.submit(() -> {
            throw new IllegalStateException("bad");
        });
        try {
            failing.get();
        } catch (ExecutionException e) {
            System.out.println(e.getCause());
        }
        pool.shutdown();
        System.out.println(pool.awaitTermination(1, TimeUnit.SECONDS) + " " + pool.isTerminated());
        try {
            pool.execute(() -> { });
        } catch (RejectedExecutionException e) {
            System.out.println("rejected");
        }
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
        AtomicInteger ticks = new AtomicInteger();
        CountDownLatch three = new CountDownLatch(3);
        timer.scheduleAtFixedRate(() -> {
            ticks.incrementAndGet();
            three.countDown();
        }, 5, 5, TimeUnit.MILLISECONDS);
        three.await();
        System.out.println(ticks.get() >= 3);
        System.out.println(timer.schedule(() -> "later", 3, TimeUnit.MILLISECONDS).get());
        timer.shutdownNow();
        System.out.println(timer.awaitTermination(1, TimeUnit.SECONDS));
        ExecutorService single = Executors.newSingleThreadExecutor();
        Future<?> slow = single.submit(() -> {
            try {
                Thread.sleep(60000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            slow.get(10, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            System.out.println("timeout");
        }
        System.out.println(slow.cancel(true) + " " + slow.isCancelled());
        single.shutdown();
        System.out.println(single.awaitTermination(1, TimeUnit.SECONDS));
    }

    static void synchronizers() throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool();
        CyclicBarrier barrier = new CyclicBarrier(3, () -> System.out.println("barrier"));
        CountDownLatch done = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            pool.execute(() -> {
                try {
                    barrier.await();
                } catch (Exception e) {
                    System.out.println(e);
                }
                done.countDown();
            });
        }
        done.await();
        Semaphore semaphore = new Semaphore(2);
        AtomicInteger most = new AtomicInteger();
        AtomicInteger now = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(4);
        for (int i = 0; i < 4; i++) {
            pool.execute(() -> {
                semaphore.acquireUninterruptibly();
                most.accumulateAndGet(now.incrementAndGet(), Math::max);
                now.decrementAndGet();
                semaphore.release();
                all.countDown();
            });
        }
        all.await();
        System.out.println(most.get() <= 2);
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(2);
        pool.execute(() -> {
            try {
                for (int i = 0; i < 6; i++) {
                    queue.put(i);
                }
            } catch (InterruptedException e) {
                System.out.println(e);
            }
        });
        int sum = 0;
        for (int i = 0; i < 6; i++) {
            sum += queue.take();
        }
        System.out.println(sum + " " + queue.poll(5, TimeUnit.MILLISECONDS));
        Exchanger<String> exchanger = new Exchanger<>();
        Future<String> exchanged = pool.submit(() -> exchanger.exchange("x"));
        System.out.println(exchanger.exchange("y") + exchanged.get());
        SynchronousQueue<String> handOff = new SynchronousQueue<>();
        pool.execute(() -> {
            try {
                handOff.put("handed");
            } catch (InterruptedException e) {
                System.out.println(e);
            }
        });
        System.out.println(handOff.take());
        Phaser phaser = new Phaser(2);
        pool.execute(phaser::arriveAndDeregister);
        System.out.println(phaser.arriveAndAwaitAdvance());
        pool.shutdown();
        System.out.println(pool.awaitTermination(100, TimeUnit.SECONDS));
    }

    static void locks() throws Exception {
        ReentrantLock lock = new ReentrantLock(true);
        Condition ready = lock.newCondition();
        boolean[] set = new boolean[1];
        Thread waiter = new Thread(() -> {
            lock.lock();
            try {
                while (!set[0]) {
                    ready.await();
                }
                System.out.println("condition");
            } catch (InterruptedException e) {
                System.out.println(e);
            } finally {
                lock.unlock();
            }
        });
        waiter.start();
        Thread.sleep(5);
        lock.lock();
        set[0] = true;
        ready.signalAll();
        lock.unlock();
        waiter.join();
        System.out.println(lock.isLocked() + " " + lock.tryLock(1, TimeUnit.MILLISECONDS));
        ReentrantReadWriteLock rw = new ReentrantReadWriteLock();
        rw.readLock().lock();
        Thread writer = new Thread(() -> {
            rw.writeLock().lock();
            System.out.println("written");
            rw.writeLock().unlock();
        });
        writer.start();
        Thread.sleep(5);
        System.out.println(rw.getReadLockCount());
        rw.readLock().unlock();
        writer.join();
        StampedLock stamped = new StampedLock();
        long stamp = stamped.tryOptimisticRead();
        System.out.println(stamped.validate(stamp));
        stamp = stamped.writeLock();
        System.out.println(stamped.isWriteLocked());
        stamped.unlockWrite(stamp);
        Thread parked = new Thread(() -> {
            LockSupport.park();
            System.out.println("unparked");
        });
        parked.start();
        Thread.sleep(5);
        LockSupport.unpark(parked);
        parked.join();
        LockSupport.parkNanos(1000);
    }

    static void futures() throws Exception {
        CompletableFuture<Integer> a = CompletableFuture.supplyAsync(() -> 20);
        CompletableFuture<Integer> b = CompletableFuture.supplyAsync(() -> 22);
        System.out.println(a.thenCombine(b, Integer::sum).thenApply(x -> "sum " + x).get());
        System.out.println(CompletableFuture.supplyAsync(() -> {
            if (true) {
                throw new IllegalStateException("async");
            }
            return 1;
        }).exceptionally(t -> {
            System.out.println(t);
            return -1;
        }).join());
        CompletableFuture<Void> both = CompletableFuture.allOf(a, b);
        both.join();
        System.out.println(both.isDone() + " " + CompletableFuture.anyOf(a).get());
        CompletableFuture<String> never = new CompletableFuture<>();
        try {
            never.orTimeout(5, TimeUnit.MILLISECONDS).join();
        } catch (CompletionException e) {
            System.out.println(e.getCause());
        }
        System.out.println(new CompletableFuture<String>().completeOnTimeout("default", 1, TimeUnit.MILLISECONDS).get());
        System.out.println(a.thenComposeAsync(x -> CompletableFuture.supplyAsync(() -> x + 1)).get());
        FutureTask<String> task = new FutureTask<>(() -> "task");
        new Thread(task).start();
        System.out.println(task.get());
    }

    static class Fib extends RecursiveTask<Integer> {
        final int n;

        Fib(int n) {
            this.n = n;
        }

        @Override
        protected Integer compute() {
            if (n < 2) {
                return n;
            }
            Fib left = new Fib(n - 1);
            left.fork();
            return new Fib(n - 2).compute() + left.join();
        }
    }

    static void forks() throws Exception {
        System.out.println(new ForkJoinPool(2).invoke(new Fib(10)));
        System.out.println(ForkJoinPool.commonPool().submit(new Fib(8)).get());
        System.out.println(IntStream.range(0, 2000).parallel().map(x -> x * 2).sum());
        System.out.println(Stream.of("c", "a", "b").parallel().sorted().collect(Collectors.joining()));
        int[] array = IntStream.range(0, 20000).map(x -> (x * 7919) % 20011).toArray();
        Arrays.parallelSort(array);
        System.out.println(array[0] + " " + array[19999]);
        ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();
        IntStream.range(0, 100).parallel().forEach(x -> map.merge(x % 10, 1, Integer::sum));
        System.out.println(map);
        System.out.println(map.reduceValues(1, Integer::sum));
        Timer timer = new Timer(true);
        CountDownLatch latch = new CountDownLatch(1);
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                latch.countDown();
            }
        }, 5);
        latch.await();
        timer.cancel();
        System.out.println("timer");
    }
}
