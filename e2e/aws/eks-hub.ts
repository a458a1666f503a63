import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { findFreePort, startCluster } from '@flotilla/envtest';
import type { KubeObject } from '@flotilla/schema';
import { type Program, startExecutable } from '../registration/program.ts';
import type { Server } from '../registration/servers.ts';
import { awsEnv, hubName } from './account.ts';
import { authenticatorProgram } from './authenticator/program.ts';
import { type AwsServices, startAwsServices } from './aws-services.ts';
import { type StsByName, startStsByName } from './sts-by-name.ts';

/** An API server that authenticates as one of EKS does: by the program that Amazon runs, which asks STS. */
export interface EksHub extends AsyncDisposable {
  readonly server: Server;
  readonly aws: AwsServices;
  readonly sts: StsByName;
  /** What programs need to find AWS here. */
  readonly env: Readonly<Record<string, string>>;
}

/** How it is started. */
export interface EksHubOptions {
  /** None for one that is to become a hub by the command line. Default: Flotilla's kinds. */
  readonly crds?: readonly KubeObject[];
  /** Answers anonymous callers as far as RBAC permits. */
  readonly anonymous?: boolean;
  /** Reaches Services of type ExternalName, for programs that a test starts on this machine, instead of endpoints. */
  readonly externalServices?: boolean;
}

/** Starts the API server, its authenticator and AWS. */
export async function startEksHub({
  crds = customResourceDefinitions(),
  anonymous,
  externalServices,
}: EksHubOptions = {}): Promise<EksHub> {
  await using cleanup = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-eks-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const aws = cleanup.use(await startAwsServices());
  const sts = cleanup.use(await startStsByName(aws));
  const mappings = await followEntries(aws, directory);
  const webhookConfig = join(directory, 'webhook.yaml');
  cleanup.use(await startAuthenticator(directory, mappings, webhookConfig, sts.env));
  const server = cleanup.use(
    await startCluster({
      crds,
      apiServerFlags: {
        ...(anonymous && { 'anonymous-auth': 'true' }),
        ...(externalServices && { 'enable-aggregator-routing': 'false' }),
        'authentication-token-webhook-config-file': webhookConfig,
        // So that an entry that is deleted ends its user within a second.
        'authentication-token-webhook-cache-ttl': '1s',
      },
    }),
  );
  const running = cleanup.move();
  return {
    server,
    aws,
    sts,
    env: awsEnv(aws.endpoint),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Writes the access entries into the file from which the authenticator takes its users. */
async function followEntries(aws: AwsServices, directory: string): Promise<string> {
  const file = join(directory, 'mappings.json');
  let last = Promise.resolve();
  const write = async () => {
    const mapRoles = [...aws.entries.values()].map(({ principalArn, username, kubernetesGroups }) => ({
      rolearn: principalArn,
      username,
      groups: kubernetesGroups,
    }));
    // In place: the authenticator follows a file that was replaced a second later.
    await writeFile(file, JSON.stringify({ mapRoles, mapUsers: [], mapAccounts: [] }));
  };
  await write();
  aws.onEntries(() => {
    last = last.then(write);
  });
  return file;
}

async function startAuthenticator(
  directory: string,
  mappings: string,
  webhookConfig: string,
  env: Readonly<Record<string, string>>,
): Promise<Program> {
  const config = join(directory, 'config.yaml');
  const port = await findFreePort();
  const server = { dynamicfilepath: mappings };
  await writeFile(config, JSON.stringify({ clusterID: hubName, server }));
  const program = startExecutable(
    await authenticatorProgram(),
    [
      'server',
      `--config=${config}`,
      '--backend-mode=DynamicFile',
      `--port=${port}`,
      `--state-dir=${directory}`,
      `--generate-kubeconfig=${webhookConfig}`,
    ],
    { env },
  );
  await program.said('listening');
  return program;
}
