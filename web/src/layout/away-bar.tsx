import { useEffect } from "preact/hooks";
import { toast } from "../announce.tsx";
import { onBack, useReach } from "../reach.ts";
import { Icon } from "../ui/icon.tsx";

/** Over every page while the dashboard's server does not answer. */
export function AwayBar() {
  const reach = useReach();
  useEffect(() => onBack(() => toast("The dashboard is back")), []);
  return (
    <div role="status">
      {reach === "away" && (
        <p class="away">
          <Icon name="refresh" />
          The dashboard does not answer; it may be restarting. What you see is from before, and is
          loaded again once it is back. Calls of the gateway go on.
        </p>
      )}
    </div>
  );
}
