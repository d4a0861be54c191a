import { Link } from "../router.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";

type Entry = { readonly to: string; readonly label: string; readonly icon: IconName };

const ACCOUNT: readonly Entry[] = [
  { to: "/usage", label: "Usage", icon: "usage" },
  { to: "/keys", label: "API keys", icon: "key" },
  { to: "/explorer", label: "Explorer", icon: "explorer" },
  { to: "/alerts", label: "Alerts", icon: "bell" },
  { to: "/members", label: "Members", icon: "people" },
  { to: "/tokens", label: "API tokens", icon: "device" },
  { to: "/audit", label: "Audit log", icon: "log" },
];

const OPERATOR: readonly Entry[] = [
  { to: "/networks", label: "Networks", icon: "network" },
  { to: "/accounts", label: "Accounts", icon: "building" },
];

type Props = { readonly path: string; readonly operator: boolean };

export function Navigation({ path, operator }: Props) {
  return (
    <nav aria-label="Pages">
      <Entries entries={ACCOUNT} path={path === "/" ? "/usage" : path} />
      {operator && (
        <>
          <p class="nav-head" id="nav-operator">
            Operator
          </p>
          <Entries entries={OPERATOR} path={path} labelledBy="nav-operator" />
        </>
      )}
    </nav>
  );
}

type EntriesProps = {
  readonly entries: readonly Entry[];
  readonly path: string;
  readonly labelledBy?: string;
};

function Entries({ entries, path, labelledBy }: EntriesProps) {
  return (
    <ul class="nav-list" aria-labelledby={labelledBy}>
      {entries.map(({ to, label, icon }) => (
        <li key={to}>
          <Link to={to} class="nav-link" current={path === to || path.startsWith(`${to}/`)}>
            <Icon name={icon} />
            {label}
          </Link>
        </li>
      ))}
    </ul>
  );
}
