import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { managedClusters, manifestWorks } from '@flotilla/api-types';
import { type Clock, type Logger, silentLogger } from '@flotilla/kube';
import { applyObjects } from '../apply.ts';
import type { CliContext } from '../context.ts';
import { acceptCluster } from '../hub/accept.ts';
import { hubDefinitions } from '../hub/definitions.ts';
import { hubManifests } from '../hub/hub-manifests.ts';
import { type Invitation, invite } from '../hub/token.ts';
import { agentObjects, managedClusterDefinitions } from '../managed/agent-objects.ts';
import { asMadeByCli } from '../ownership.ts';
import { superviseAgent } from './agent-supervisor.ts';
import { type ApiServer, startApiServer } from './api-server.ts';
import { exampleWork, tryManifest } from './example-work.ts';
import { startHub } from './hub.ts';
import { lastStep } from './story.ts';
import { type Story, tellStory } from './tell-story.ts';
import { needsWebhooks } from './webhooks.ts';
import { appliedStep, reportedStep } from './work-story.ts';

/** What `flotilla up` starts. */
export interface FleetOptions {
  readonly directory: string;
  readonly keep: boolean;
  readonly real: boolean;
  /** Clusters that are let in. */
  readonly clusters: number;
  readonly autoAccept: boolean;
  readonly context: Pick<CliContext, 'clock' | 'connector'>;
  readonly log?: Logger;
  readonly tell: (line: string) => void;
}

/** A hub and its clusters, running. */
export interface Fleet extends AsyncDisposable {
  readonly hub: ApiServer;
  readonly managed: readonly ApiServer[];
  /** A cluster that asks to join and waits for the user to accept it. */
  readonly waiting?: string;
  /** A file with something that the user can give to a cluster. */
  readonly tryFile: string;
  /** Resolves when all clusters are in; rejects if the signal aborts first. */
  ready(signal: AbortSignal): Promise<void>;
}

const hubName = 'hub';

/** Starts a hub and managed clusters, each with its agent, all in this process. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { clusters, autoAccept, context, log = silentLogger, tell } = options;
  const { clock } = context;
  await using cleanup = new AsyncDisposableStack();
  const common = { directory: options.directory, keep: options.keep, real: options.real };
  const names = Array.from({ length: clusters }, (_, index) => `cluster${index + 1}`);
  const waiting = autoAccept ? undefined : `cluster${clusters + 1}`;

  const hub = cleanup.use(
    await startApiServer({
      ...common,
      name: hubName,
      crds: (await hubDefinitions()).filter((definition) => !needsWebhooks(definition)).map(asMadeByCli),
      simulator: false,
    }),
  );
  await applyObjects(hub.client, (await hubManifests(hub)).objects, clock);
  cleanup.use(await startHub(hub, { clock, log, autoAccept }));
  tell(`hub is up at ${hub.access.server}`);
  const story = cleanup.use(tellStory(hub.client, clock, tell));

  const isNew = (await hub.client.resource(managedClusters).list()).items.length === 0;

  const invitation = await invite(context, hub);
  const crds = (await managedClusterDefinitions()).map(asMadeByCli);
  const managed: ApiServer[] = [];
  for (const name of waiting === undefined ? names : [...names, waiting]) {
    const server = cleanup.use(await startApiServer({ ...common, name, crds, simulator: true }));
    await applyObjects(
      server.client,
      agentObjects({ clusterName: name, hub: agentAccess(hub, invitation), mode: 'Singleton' }),
      clock,
    );
    cleanup.use(superviseAgent(server, { clock, log }));
    managed.push(server);
  }
  const tryFile = join(options.directory, 'try.yaml');
  await writeFile(tryFile, tryManifest, { mode: 0o600 });
  const running = cleanup.move();
  return {
    hub,
    managed,
    tryFile,
    ...(waiting !== undefined && { waiting }),
    async ready(signal) {
      await Promise.all(names.map((name) => letIn(name, { hub, story, clock, autoAccept, signal })));
      // In a later run it is the user's: there, changed or deleted.
      if (isNew) await giveExample(names[0] ?? '', { hub, story, real: options.real, signal });
      if (waiting !== undefined) await story.reached(waiting, 1, signal);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** What is in the bootstrap Secret: the hub's address and CA, and the token. */
const agentAccess = ({ access }: ApiServer, { token }: Invitation) => ({
  server: access.server,
  ...(access.ca !== undefined && { ca: access.ca }),
  authorization: `Bearer ${token}`,
  origin: hubName,
});

/** Does what the administrator of the hub does: accepts the cluster once it has asked. */
async function letIn(
  name: string,
  {
    hub,
    story,
    clock,
    autoAccept,
    signal,
  }: { hub: ApiServer; story: Story; clock: Clock; autoAccept: boolean; signal: AbortSignal },
): Promise<void> {
  await story.reached(name, 1, signal);
  if (!autoAccept) await acceptCluster({ client: hub.client, clock }, name, { requesters: [], anySender: false });
  await story.reached(name, lastStep, signal);
}

/** Gives the example work to a cluster, and waits for what comes back: nothing runs pods on a real API server alone. */
async function giveExample(
  cluster: string,
  { hub, story, real, signal }: { hub: ApiServer; story: Story; real: boolean; signal: AbortSignal },
): Promise<void> {
  await hub.client.resource(manifestWorks).create(exampleWork(cluster));
  await story.workReached(cluster, real ? appliedStep : reportedStep, signal);
}
