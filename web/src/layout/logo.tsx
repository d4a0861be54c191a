/** A gate's barrier; the name stands beside it. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect class="logo-back" width="32" height="32" rx="7" />
      <path class="logo-post" d="M8 26V9M5 26h7M8 14l17-6" />
      <path class="logo-stripe" d="m13 12.2 4-1.4M20 9.8l2-.7" />
    </svg>
  );
}
