import java.util.*;
import java.util.concurrent.atomic.*;

/** Threads, monitors, wait and notify, interrupts. */
public class ThreadsBasic {
    private static int counter;
    private static final Object lock = new Object();

    static class Box {
        private Object value;

        synchronized void put(Object v) throws InterruptedException {
            while (value != null) {
                wait();
            }
            value = v;
            notifyAll();
        }

        synchronized Object take() throws InterruptedException {
            while (value == null) {
                wait();
            }
            Object v = value;
            value = null;
            notifyAll();
            return v;
        }
    }

    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> System.out.println("in " + Thread.currentThread().getName()), "worker");
        System.out.println(t.getState() + " " + t.isAlive());
        t.start();
        t.join();
        System.out.println(t.getState() + " " + t.isAlive());
        try {
            t.start();
        } catch (IllegalThreadStateException e) {
            System.out.println("twice");
        }

        Thread[] all = new Thread[5];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(() -> {
                for (int k = 0; k < 1000; k++) {
                    synchronized (lock) {
                        counter++;
                    }
                }
            });
            all[i].start();
        }
        for (Thread each : all) {
            each.join();
        }
        System.out.println(counter);

        Box box = new Box();
        Thread producer = new Thread(() -> {
            try {
                for (int i = 0; i < 5; i++) {
                    box.put("item " + i);
                }
                box.put("end");
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        producer.start();
        for (Object item = box.take(); !item.equals("end"); item = box.take()) {
            System.out.println(item);
        }

        Thread sleeper = new Thread(() -> {
            try {
                Thread.sleep(100000);
                System.out.println("slept");
            } catch (InterruptedException e) {
                System.out.println(e.getMessage() + " " + Thread.currentThread().isInterrupted());
            }
        });
        sleeper.start();
        Thread.sleep(50);
        System.out.println(sleeper.getState());
        sleeper.interrupt();
        sleeper.join();

        Thread failing = new Thread(() -> {
            throw new IllegalArgumentException("oops");
        });
        failing.setUncaughtExceptionHandler((who, what) -> System.out.println("uncaught " + what));
        failing.start();
        failing.join();

        ThreadLocal<Integer> local = ThreadLocal.withInitial(() -> 7);
        local.set(8);
        Thread other = new Thread(() -> System.out.println("local " + local.get()));
        other.start();
        other.join();
        System.out.println("local " + local.get());

        try {
            lock.notify();
        } catch (IllegalMonitorStateException e) {
            System.out.println(e.getMessage());
        }
        synchronized (lock) {
            System.out.println(Thread.holdsLock(lock));
            long before = System.nanoTime();
            lock.wait(20);
            System.out.println(System.nanoTime() - before >= 20_000_000);
        }
        System.out.println(Thread.holdsLock(lock));

        AtomicBoolean flag = new AtomicBoolean();
        Thread spinner = new Thread(() -> {
            while (!flag.get()) {
            }
            System.out.println("seen");
        });
        spinner.start();
        Thread.sleep(1);
        flag.set(true);
        spinner.join();

        Thread.currentThread().interrupt();
        System.out.println(Thread.interrupted() + " " + Thread.interrupted());
        Thread daemon = new Thread(() -> { });
        daemon.setDaemon(true);
        System.out.println(daemon.isDaemon() + " " + daemon.getPriority() + " " + daemon.getThreadGroup().getName());
        StringBuffer log = new StringBuffer();
        Thread joined = new Thread(() -> log.append("done"));
        joined.start();
        joined.join(1000);
        System.out.println(log);
    }
}
