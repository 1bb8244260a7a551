import java.io.*;
import java.util.*;
import java.util.stream.*;

/** Walking the stack, and how exceptions show it. */
public class StackWalk {
    public static void main(String[] args) {
        stack();
    }

    static void stack() {
        List<String> walked = StackWalker.getInstance().walk(s -> s.map(StackWalker.StackFrame::getMethodName).collect(Collectors.toList()));
        System.out.println(walked);
        System.out.println(StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).getCallerClass());
        StackTraceElement top = new Throwable().getStackTrace()[0];
        System.out.println(top.getClassName() + "." + top.getMethodName() + " " + top.getFileName());
        System.out.println(Thread.currentThread().getStackTrace()[1].getMethodName());
        StringWriter text = new StringWriter();
        new IllegalStateException("outer", new RuntimeException("inner")).printStackTrace(new PrintWriter(text));
        System.out.println(text.toString().lines().filter(l -> !l.contains("at ")).collect(Collectors.toList()));
    }
}
