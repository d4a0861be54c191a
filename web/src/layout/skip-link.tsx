/** The first thing that Tab reaches: past the navigation. */
export function SkipLink() {
  return (
    <a class="skip-link" href="#main">
      Skip to content
    </a>
  );
}
