import { readFile, writeFile } from 'node:fs/promises';
import { managedClusters } from '@flotilla/api-types';
import type { ClusterAccess } from '@flotilla/kube';
import { Option } from 'commander';
import { applyObjects } from '../apply.ts';
import { connect } from '../connect.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors.ts';
import { agentObjects, managedClusterDefinitions } from '../managed/agent-objects.ts';
import { trustedCa } from '../managed/hub-trust.ts';
import { checkHub, checkServer, internalServer, withHub } from '../managed/preflight.ts';
import { formatManifests } from '../output/format.ts';
import { startProgress } from '../output/progress.ts';
import { withoutSecrets } from '../output/redact.ts';
import { waitFor } from '../waiting.ts';
import { type AddCommand, allOptions, checkClusterName, countOption, listOption } from './command.ts';

interface JoinOptions {
  readonly hubToken?: string;
  readonly hubTokenFile?: string;
  readonly hubApiserver: string;
  readonly hubCaHash?: string[];
  readonly hubCaData?: string;
  readonly caFile?: string;
  readonly clusterName: string;
  readonly forceInternalEndpointLookup?: boolean;
  readonly proxyUrl?: string;
  readonly singleton?: boolean;
  readonly clientCertExpirationSeconds?: number;
  readonly wait?: boolean;
  readonly run?: boolean;
  readonly outputFile?: string;
}

export const addJoin: AddCommand = (program, context) => {
  program
    .command('join')
    .summary('ask a hub to take this cluster in')
    .description(
      'Asks a hub to take this cluster in. Run it on the cluster; `flotilla get token` on the hub prints the command. The token is sent only to a server whose certificate was verified. Repeating it is safe, also after a failure.',
    )
    .addOption(new Option('--hub-token <token>', 'from `flotilla get token`').env('FLOTILLA_HUB_TOKEN'))
    .option('--hub-token-file <file>', 'read the token from a file, or from standard input if it is -')
    .requiredOption('--hub-apiserver <url>', 'address of the hub')
    .option('--hub-ca-hash <hash>', 'verifies the CA of the hub (sha256:…); may be repeated', listOption)
    .option('--hub-ca-data <base64>', 'CA of the hub, for a hub that tells it to nobody')
    .option('--ca-file <file>', 'CA of the hub as PEM, instead of --hub-ca-hash')
    .requiredOption('--cluster-name <name>', 'what this cluster is called on the hub')
    .option('--force-internal-endpoint-lookup', 'let the agent use the address that the hub gives in its cluster-info')
    .option('--proxy-url <url>', 'proxy by which the agent reaches the hub')
    .option('--singleton', 'run registration and work in one process')
    .option('--client-cert-expiration-seconds <seconds>', 'life of client certificates to ask for', countOption)
    .option('--run', 'run the agent here in the foreground until Ctrl-C')
    .option('--wait', 'wait until the hub knows this cluster; needs a running agent')
    .option('--output-file <file>', 'also write the manifests here, without secrets')
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla join --hub-token T --hub-apiserver https://hub:6443 --hub-ca-hash sha256:… --cluster-name cluster1
  $ flotilla join --hub-token-file - --hub-apiserver https://hub:6443 --ca-file hub.pem --cluster-name cluster1 --run < token
`,
    )
    .action((_options, command) => join(context, allOptions<JoinOptions>(command)));
};

async function join(context: CliContext, options: JoinOptions & GlobalOptions): Promise<void> {
  const { clusterName, dryRun = false } = options;
  checkClusterName(clusterName);
  const server = checkServer(options.hubApiserver);
  const token = await tokenOf(context, options);
  using progress = startProgress(context);
  progress.update('Checking the hub');
  const caHashes = options.hubCaHash ?? [];
  const ca = await trustedCa(context, {
    server,
    caHashes,
    ...(options.caFile && { caFile: options.caFile }),
    ...(options.hubCaData && { caData: options.hubCaData }),
  });
  const hub: ClusterAccess = {
    server,
    ...(ca !== undefined && { ca }),
    authorization: `Bearer ${token}`,
    origin: '--hub-apiserver',
    ...(options.proxyUrl && { proxyUrl: options.proxyUrl }),
  };
  await using managed = await connect(context, options);
  const agentServer = await withHub(context, hub, async (client) => {
    await checkHub(client, clusterName, managed.client);
    return options.forceInternalEndpointLookup ? internalServer(client) : server;
  });
  progress.done(`The hub ${server} is verified and takes the token.`);

  const { clientCertExpirationSeconds } = options;
  const objects = agentObjects({
    clusterName,
    hub: { ...hub, server: agentServer },
    mode: options.singleton ? 'Singleton' : 'Default',
    ...(clientCertExpirationSeconds !== undefined && { clientCertExpirationSeconds }),
  });
  const manifests = [...(await managedClusterDefinitions()), ...objects];
  const printed = formatManifests(manifests.map(withoutSecrets));
  if (options.outputFile) await writeFile(options.outputFile, printed, { mode: 0o600 });
  if (dryRun) {
    context.out.write(printed);
    return;
  }
  progress.update('Installing what the agent needs');
  await applyObjects(managed.client, manifests, context.clock);
  progress.done(`Cluster ${clusterName} is ready for its agent.`);
  const acceptance = `Please log onto the hub cluster and run the following command:\n\n    ${context.program} accept --clusters ${clusterName}\n\n`;
  if (options.run) {
    progress.done(acceptance);
    const { runAgent } = await import('../managed/run-agent.ts');
    const { clock, signal } = context;
    const onPhase = (phase: string) => progress.done(`The agent of ${clusterName} is ${phase}.`);
    await runAgent({ managed: managed.client, clusterName, clock, signal, onPhase });
    return;
  }
  if (options.wait) {
    await withHub(context, hub, (client) =>
      waitFor(
        context,
        {
          goal: 'the agent to register the cluster',
          hint: `Is an agent running? Start one here: \`${context.program} join … --run\`.`,
          timeoutMs: options.timeout * 1000,
          progress,
        },
        async () =>
          (await client.resource(managedClusters).find(clusterName))
            ? { found: true }
            : { pending: 'the hub does not know it yet' },
      ),
    );
  }
  context.out.write(acceptance);
}

/** From the flag, a file or standard input: arguments can be read by every process of the machine. */
async function tokenOf(context: CliContext, { hubToken, hubTokenFile }: JoinOptions): Promise<string> {
  if (hubToken !== undefined && hubTokenFile === undefined) return hubToken.trim();
  if (hubTokenFile === undefined || hubToken !== undefined) {
    const problem = hubToken === undefined ? 'token is missing' : 'there are two tokens';
    throw new CliError('usage', problem, 'Give either --hub-token or --hub-token-file.');
  }
  const text =
    hubTokenFile === '-'
      ? await context.readStdin()
      : await readFile(hubTokenFile, 'utf8').catch((error: unknown) => {
          throw new CliError(
            'usage',
            `cannot read --hub-token-file ${hubTokenFile}`,
            'Give a file that this user may read.',
            error,
          );
        });
  return text.trim();
}
