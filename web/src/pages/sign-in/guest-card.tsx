import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

type Props = {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly children?: ComponentChildren;
  /** Where else to go: below the card. */
  readonly foot?: ComponentChildren;
};

let shown = 0;

/** A page of one form, for those who are not signed in; each next step takes the focus. */
export function GuestCard({ title, lead, children, foot }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    shown += 1;
    // Not when the document is opened: that is read out by itself.
    if (shown > 1 && title !== "") heading.current?.focus();
  }, [title]);
  return (
    <>
      <div class="card guest-card">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p class="page-lead">{lead}</p>}
        </div>
        {children}
      </div>
      {foot && <div class="guest-foot">{foot}</div>}
    </>
  );
}
