import { useEffect } from "preact/hooks";
import { ButtonLink } from "../ui/button.tsx";
import { PageHead } from "../ui/display.tsx";

export function NotFoundPage() {
  useEffect(() => {
    document.title = "Not found · Tollgate";
  }, []);
  return (
    <div class="page">
      <PageHead title="There is no such page">
        Perhaps the address has a slip, or the page is for operators only.
      </PageHead>
      <ButtonLink to="/" kind="primary">
        To the overview
      </ButtonLink>
    </div>
  );
}
