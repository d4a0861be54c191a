import { isDeepStrictEqual } from "node:util";
import type { Samples } from "../../src/dev/samples.ts";
import { EVM_METHODS } from "../../src/methods/registry.ts";
import { QUESTIONS } from "../conformance/anvil-questions.ts";
import { type Answer, documented, inFull, type Question } from "../conformance/documented.ts";

/** A call and the only right answer to it, while the chain does not move. */
export type KnownAnswer = Question & { readonly answer: Answer };

/** The standard choices of a network. */
const CHOICES = { pendingBlock: "documented", signatures: "node" } as const;
const NO_ACCOUNTS: KnownAnswer = { method: "eth_accounts", params: [], answer: { result: [] } };
const IN_AIR = 16;

type Asked = { readonly samples: Samples; readonly pendingHash: string };

/** Headers and raw transactions. */
export const isRepeat = (method: string): boolean => /^eth_getHeader|^eth_getRaw/.test(method);

/**
 * Every question of the conformance tests, about methods that are served unless a file says otherwise. Headers and raw
 * transactions are left out: they ask once more what others ask, and of nulls, which two nodes have to say, there are many.
 */
function questionsOf(asked: Asked): Question[] {
  return EVM_METHODS.filter(({ method }) => !isRepeat(method)).flatMap(({ method }) =>
    Object.values(QUESTIONS[method] ?? {}).map((paramsFor) => ({
      method,
      params: paramsFor(asked),
    })),
  );
}

/**
 * What these nodes answer to every method, in the documented shape. A question that they do not
 * answer all alike (a pending block has the time of the asking) is left out, and so is a method that they lack.
 * @throws where a method is left without any
 */
export async function knownOfNodes(
  urls: readonly string[],
  asked: Asked,
): Promise<readonly KnownAnswer[]> {
  const questions = questionsOf(asked);
  const ofEach = await Promise.all(
    urls.map((url) => askAll(questions.map(inFull), (question) => post(url, question))),
  );
  const answered = agreed(questions, ofEach);
  const lacking = new Set(answered.filter(isLacking).map(({ method }) => method));
  const has = ({ method }: Question) => !lacking.has(method);
  const known = answered.filter(has).map(({ answer, ...question }) => ({
    ...question,
    answer: documented(question, answer, CHOICES),
  }));
  return complete([...known, NO_ACCOUNTS], questions.filter(has));
}

/** That nobody has a method is told once all nodes have said so: not while one of them fails. */
const isLacking = ({ answer }: KnownAnswer): boolean =>
  "error" in answer && answer.error.code === -32_601;

/**
 * What a gateway answers to these questions now: its nodes must be without fault. What it answers
 * otherwise when asked again, or as a fault of its own, is left out.
 */
export async function knownOfGateway(
  url: string,
  questions: readonly Question[],
): Promise<readonly KnownAnswer[]> {
  const ask = (question: Question) => post(url, question);
  return agreed(questions, [await askAll(questions, ask), await askAll(questions, ask)]);
}

function agreed(
  questions: readonly Question[],
  ofEach: readonly (readonly Answer[])[],
): KnownAnswer[] {
  return questions.flatMap((question, index) => {
    const [answer, ...others] = ofEach.map((answers) => answers[index]);
    const alike = others.every((other) => isDeepStrictEqual(other, answer));
    return answer === undefined || !alike ? [] : [{ ...question, answer }];
  });
}

function complete(
  known: readonly KnownAnswer[],
  questions: readonly Question[],
): readonly KnownAnswer[] {
  const left = new Set(known.map(({ method }) => method));
  const lost = questions.find(({ method }) => !left.has(method));
  if (lost !== undefined) throw new Error(`the nodes agree on no answer to ${lost.method}`);
  return known;
}

async function askAll(
  questions: readonly Question[],
  ask: (question: Question) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const rest = questions.entries();
  const worker = async () => {
    for (const [index, question] of rest) answers[index] = await ask(question);
  };
  await Promise.all(Array.from({ length: IN_AIR }, worker));
  return answers;
}

async function post(url: string, question: Question): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...question });
  const response = await fetch(url, { method: "POST", headers, body });
  const { jsonrpc: _, id: __, ...answer } = (await response.json()) as Record<string, unknown>;
  return answer as Answer;
}
