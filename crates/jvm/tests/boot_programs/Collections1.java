import java.util.*;

/** Collections and iteration. */
public class Collections1 {
    enum Color { RED, GREEN, BLUE }

    public static void main(String[] args) {
        Map<String, Integer> map = new HashMap<>();
        for (String word : "to be or not to be that is the question".split(" ")) {
            map.merge(word, 1, Integer::sum);
        }
        System.out.println(map);
        System.out.println(new TreeMap<>(map));
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            list.add((i * 37) % 50);
        }
        Collections.sort(list);
        System.out.println(list);
        list.removeIf(x -> x % 3 == 0);
        System.out.println(list + " " + list.indexOf(4) + " " + list.contains(3));
        Deque<String> deque = new ArrayDeque<>(List.of("a", "b", "c"));
        deque.addFirst("z");
        System.out.println(deque.pollLast() + deque);
        System.out.println(new LinkedHashSet<>(Arrays.asList(3, 1, 2, 3, 1)));
        EnumMap<Color, String> enums = new EnumMap<>(Color.class);
        enums.put(Color.GREEN, "g");
        enums.put(Color.RED, "r");
        System.out.println(enums + " " + Color.valueOf("BLUE") + " " + Color.BLUE.ordinal() + Arrays.toString(Color.values()));
        System.out.println(EnumSet.complementOf(EnumSet.of(Color.RED)));
        PriorityQueue<Integer> queue = new PriorityQueue<>(Comparator.reverseOrder());
        queue.addAll(List.of(5, 1, 9, 3));
        StringBuilder sb = new StringBuilder();
        while (!queue.isEmpty()) sb.append(queue.poll()).append(',');
        System.out.println(sb.reverse());
        int[] numbers = {5, 3, 1, 4};
        Arrays.sort(numbers);
        System.out.println(Arrays.toString(numbers) + Arrays.hashCode(numbers) + Arrays.binarySearch(numbers, 4));
        System.out.println(List.of(1, 2, 3).equals(Arrays.asList(1, 2, 3)) + " " + List.of(1, 2, 3).hashCode());
        BitSet bits = new BitSet();
        bits.set(3); bits.set(70);
        System.out.println(bits + " " + bits.cardinality());
        Iterator<Integer> it = list.iterator();
        try {
            list.add(1);
            it.next();
        } catch (ConcurrentModificationException e) {
            System.out.println("CME " + e.getMessage());
        }
        try {
            List.of(1).add(2);
        } catch (UnsupportedOperationException e) {
            System.out.println("UOE " + e.getMessage());
        }
    }
}
