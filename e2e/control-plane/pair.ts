import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { type Cluster, startCluster } from '@flotilla/envtest';
import { compare, describeDifferences } from './compare.ts';
import { Normaliser } from './normalise.ts';
import { get, post, type Scenario, type Step } from './scenario.ts';
import { type Answer, Server } from './server.ts';
import { textAt, type Variables } from './variables.ts';

/** The result of a scenario: differences that are not allowed, and allowed ones that were met or are gone. */
export interface Report {
  readonly unexpectedDifferences: readonly string[];
  readonly met: readonly string[];
}

/** One of the servers within one scenario. */
interface Side {
  readonly server: Server;
  readonly variables: Variables;
  readonly normaliser: Normaliser;
}

/** The real namespace controller waits eight seconds between two looks at what a finalizer holds, and longer on a busy machine. */
const pollOptions = { limitMs: 90_000, pauseMs: 25 };

/** The real API server and the embedded one, side by side. */
export class Pair implements AsyncDisposable {
  readonly #cluster: Cluster;
  readonly #plane: ControlPlane;
  readonly #servers: readonly [Server, Server];
  #scenarios = 0;

  private constructor(cluster: Cluster, plane: ControlPlane) {
    this.#cluster = cluster;
    this.#plane = plane;
    this.#servers = [new Server(cluster.access), new Server(plane.access)];
  }

  static async start(): Promise<Pair> {
    // Both from nothing: with a snapshot the first resource versions are expired.
    const [cluster, plane] = await Promise.all([startCluster({ snapshot: false }), startControlPlane()]);
    return new Pair(cluster, plane);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) server.close();
    await Promise.all([this.#cluster.stop(), this.#plane.stop()]);
  }

  /** Plays a scenario in a namespace of its own, `{ns}`, with names of its own, `{id}`. */
  async play({ steps }: Scenario): Promise<Report> {
    const id = `s${++this.#scenarios}`;
    const [real, embedded] = await Promise.all(this.#servers.map((server) => begin(server, id)));
    if (!real || !embedded) throw new Error('two servers are compared');
    const unexpectedDifferences: string[] = [];
    const met: string[] = [];
    for (const step of steps) {
      const [expected, ours] = await Promise.all([ask(real, step), ask(embedded, step)]);
      const differences = compare(expected, ours);
      const { id: allowed, at = [] } = step.differs ?? {};
      const unexpected = differences.filter((difference) => !at.some((path) => covers(path, difference.at)));
      if (unexpected.length > 0) unexpectedDifferences.push(describeDifferences(step.call, unexpected));
      if (allowed === undefined) continue;
      if (differences.length > unexpected.length) met.push(allowed);
      else unexpectedDifferences.push(`${step.call}\n    no longer differs: take \`${allowed}\` away`);
    }
    return { unexpectedDifferences, met };
  }
}

/** Whether a place is at or below a path, in which `*` stands for any one field or item. */
function covers(path: string, place: string): boolean {
  const parts = place.split('.');
  return path.split('.').every((part, index) => part === '*' || part === parts[index]);
}

async function ask({ server, variables, normaliser }: Side, step: Step): Promise<unknown> {
  return normaliser.answer(
    step.until === undefined && step.untilAt === undefined
      ? await server.send(step, variables)
      : await poll(server, step, variables),
  );
}

async function poll(server: Server, step: Step, variables: Variables): Promise<Answer> {
  const deadline = performance.now() + pollOptions.limitMs;
  while (true) {
    const answer = await server.send(step, variables);
    if (isExpected(step, answer)) return answer;
    if (performance.now() > deadline) {
      const wanted = step.untilAt ?? step.until;
      throw new Error(`${step.call} never answered ${wanted}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollOptions.pauseMs));
  }
}

const isExpected = ({ until, untilAt }: Step, { status, body }: Answer): boolean =>
  untilAt === undefined ? status === until : textAt(body, untilAt) !== undefined;

/** With what controllers put into every namespace, so that it does not appear in the middle of a scenario. */
async function begin(server: Server, id: string): Promise<Side> {
  const variables: Variables = new Map([
    ['id', id],
    ['ns', `ns-${id}`],
  ]);
  await server.send(post('/api/v1/namespaces', { metadata: { name: '{ns}' } }), variables);
  await poll(server, { ...get('/api/v1/namespaces/{ns}/serviceaccounts/default'), until: 200 }, variables);
  await poll(server, { ...get('/api/v1/namespaces/{ns}/configmaps/kube-root-ca.crt'), until: 200 }, variables);
  return { server, variables, normaliser: new Normaliser() };
}
