import { useEffect, useState } from "preact/hooks";
import { Icon } from "./ui/icon.tsx";

type Message = { readonly id: number; readonly text: string; readonly tone: "ok" | "danger" };

const SHOWN_MS = 6000;
/** More would cover the page. */
const MOST_SHOWN = 3;

let lastId = 0;
let show: (message: Message) => void = () => {};
let speak: (text: string) => void = () => {};

/** Says to screen readers what changed, without showing it. */
export function announce(text: string): void {
  speak(text);
}

/** Shows for some seconds, and says, what was done. What went wrong belongs beside its form instead. */
export function toast(text: string, tone: Message["tone"] = "ok"): void {
  lastId += 1;
  show({ id: lastId, text, tone });
}

/** The places where both appear: once in the document, there before anything is said. */
export function Announcer() {
  const [spoken, setSpoken] = useState("");
  const [messages, setMessages] = useState<readonly Message[]>([]);
  useEffect(() => {
    speak = setSpoken;
    show = (message) => {
      setMessages((before) => [...before, message].slice(-MOST_SHOWN));
      setTimeout(
        () => setMessages((before) => before.filter((one) => one.id !== message.id)),
        SHOWN_MS,
      );
    };
  }, []);
  return (
    <>
      <p class="unseen" aria-live="polite">
        {spoken}
      </p>
      <div class="toasts" role="status">
        {messages.map((message) => (
          <p key={message.id} class={`toast toast-${message.tone}`}>
            <Icon name={message.tone === "ok" ? "check" : "alert"} />
            {message.text}
          </p>
        ))}
      </div>
    </>
  );
}
