/** One line of a metric: its labels and its value. */
export type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

const LINE = /^(\w+)\{(.*)\} (\S+)$/s;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/gs;

/** The lines of one metric in Prometheus' text format, those without labels left out. */
export function samplesOf(text: string, metric: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith(`${metric}{`)) continue;
    const [, name, labels = "", value] = LINE.exec(line) ?? [];
    if (name !== metric) continue;
    samples.push({ labels: labelsOf(labels), value: Number(value) });
  }
  return samples;
}

function labelsOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(LABEL)].map(([, name = "", value = ""]) => [name, plain(value)]);
  return Object.fromEntries(pairs);
}

function plain(value: string): string {
  return value.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
}
