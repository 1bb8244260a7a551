import java.net.*;
import java.nio.file.*;
import java.util.*;
import javax.crypto.*;
import javax.crypto.spec.*;

/** What the library asks of the machine: addresses, folders, providers of ciphers. */
public class Outside {
    private static void connect(Socket socket, int timeout) throws Exception {
        socket.setSoTimeout(100);
        socket.setTcpNoDelay(true);
        try {
            socket.connect(new InetSocketAddress("127.0.0.1", 1), timeout);
        } catch (ConnectException e) {
            System.out.println("refused " + socket.isConnected() + " " + socket.isClosed());
        }
        socket.close();
        System.out.println(socket.isClosed());
    }

    public static void main(String[] args) throws Exception {
        System.out.println(InetAddress.getByName("127.0.0.1").isLoopbackAddress());
        System.out.println(InetAddress.getLoopbackAddress());
        System.out.println(InetAddress.getByName("localhost").isLoopbackAddress());
        System.out.println(InetAddress.getByAddress(new byte[] {10, 0, 0, 1}).isSiteLocalAddress());
        System.out.println(new InetSocketAddress("192.168.1.2", 80));
        System.out.println(InetAddress.getByName("2001:db8::1").getHostAddress());

        // Nobody listens there.
        connect(new Socket(), 0);
        connect(new Socket(), 500);
        try (Socket socket = new Socket("127.0.0.1", 1)) {
            System.out.println(socket);
        } catch (ConnectException e) {
            System.out.println(e.getMessage().startsWith("Connection refused"));
        }
        try {
            ((HttpURLConnection) new URL("http://127.0.0.1:1/").openConnection()).getResponseCode();
        } catch (ConnectException e) {
            System.out.println("no page");
        }

        Mac mac = Mac.getInstance("HmacSHA512");
        mac.init(new SecretKeySpec(new byte[] {1}, "HmacSHA512"));
        System.out.println(Base64.getEncoder().encodeToString(mac.doFinal(new byte[] {1, 2})));
        Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(new byte[16], "AES"), new IvParameterSpec(new byte[16]));
        System.out.println(Base64.getEncoder().encodeToString(cipher.doFinal(new byte[] {1, 2})));

        Path conf = Path.of(System.getProperty("java.home"), "conf");
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(conf)) {
            for (Path path : all) {
                names.add(path.getFileName().toString());
            }
        }
        Collections.sort(names);
        System.out.println(names);
        try (DirectoryStream<Path> none = Files.newDirectoryStream(conf.resolve("net.properties"))) {
            System.out.println("a folder");
        } catch (NotDirectoryException e) {
            System.out.println("no folder");
        }
    }
}
