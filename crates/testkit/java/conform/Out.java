package conform;

import java.util.function.Supplier;

/** What a call did, as one line of text. */
public final class Out {
    private final StringBuilder text = new StringBuilder();

    public void result(Object value) {
        text.append("= ").append(Show.text(value));
    }

    public void done() {
        text.append("void");
    }

    /** The receiver or an argument after the call. */
    public void after(Object value) {
        text.append(" | ").append(Show.text(value));
    }

    public interface Getter {
        Object get() throws Exception;
    }

    public void look(String name, Getter getter) {
        text.append(' ').append(name).append('=');
        try {
            text.append(Show.text(getter.get()));
        } catch (Exception e) {
            text.append('!').append(e.getClass().getName());
        }
    }

    public void threw(Throwable t, boolean started) {
        text.append(started ? "threw " : "- ").append(t.getClass().getName());
        // Messages of these are made by the machine, and describe the code that was compiled, not what it did.
        if (started && !(t instanceof NullPointerException || t instanceof StackOverflowError)) {
            text.append(' ').append(Show.text(t.getMessage()));
        }
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
