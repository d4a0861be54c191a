import { useEffect } from "preact/hooks";
import { ButtonLink } from "../ui/button.tsx";
import { PageHead } from "../ui/display.tsx";

export function NotFoundPage() {
  useEffect(() => {
    document.title = "Not found · Tollgate";
  }, []);
  return (
    <div class="page">
      <PageHead title="Page not found">
        The address may be wrong, or the page may be for operators only.
      </PageHead>
      <ButtonLink to="/" kind="primary">
        Go to the overview
      </ButtonLink>
    </div>
  );
}
