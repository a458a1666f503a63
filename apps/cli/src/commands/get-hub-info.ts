import { managedClusters, NamespaceName, ServiceAccountName } from '@flotilla/api-types';
import { customResourceDefinitions, deployments, namespaces, serviceAccounts } from '@flotilla/kube';
import { connect } from '../connect.ts';
import { requireHub } from '../hub/accept.ts';
import { hubDefinitions } from '../hub/definitions.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { formatTable } from '../output/table.ts';
import { type AddCommand, allOptions, outputOption } from './command.ts';

export const addGetHubInfo: AddCommand = (get, context) => {
  get
    .command('hub-info')
    .description(
      'What makes this cluster a hub: its address, its kinds and their versions, what runs there, how many clusters it has.',
    )
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText('after', '\nExamples:\n  $ flotilla get hub-info\n  $ flotilla get hub-info -o json\n')
    .action(async (_options, command) => {
      const { output, ...options } = allOptions<{ output: string }>(command);
      await using hub = await connect(context, options);
      await requireHub(hub.client);
      const { client } = hub;
      const account = `${NamespaceName.Operator}/${ServiceAccountName.AgentRegistrationBootstrap}`;
      const { items: clusters } = await client.resource(managedClusters).list();
      const { items: running } = await client.resource(deployments).list({ namespace: NamespaceName.Hub });
      const definitions = await Promise.all(
        (await hubDefinitions()).map(async ({ metadata }) => {
          const name = metadata?.name ?? '';
          const found = await client.resource(customResourceDefinitions).find(name);
          const versions = found?.spec.versions.map((version) => (version.storage ? `*${version.name}` : version.name));
          return { name, installed: found !== undefined, versions: versions ?? [] };
        }),
      );
      const info = {
        server: hub.access.server,
        clusters: clusters.length,
        accepted: clusters.filter(({ spec }) => spec?.hubAcceptsClient).length,
        bootstrapServiceAccount: (await client.resource(serviceAccounts).find(account)) !== undefined,
        hubNamespace: (await client.resource(namespaces).find(NamespaceName.Hub)) !== undefined,
        components: running.map(({ metadata, spec, status }) => ({
          name: metadata?.name ?? '',
          available: status?.availableReplicas ?? 0,
          desired: spec?.replicas ?? 1,
        })),
        definitions,
      };
      if (isMachineFormat(output)) {
        context.out.write(formatValue(info, output));
        return;
      }
      const rows = definitions.map(({ name, installed, versions }) => [
        `(${installed ? 'installed' : 'absent'})`,
        name,
        `[${versions.join(', ')}]`,
      ]);
      context.out.write(
        [
          `Hub: ${info.server}\n`,
          `Clusters: ${info.clusters}, of which ${info.accepted} accepted\n`,
          `Clusters can ask to join: ${info.bootstrapServiceAccount ? 'yes' : `no (${context.program} init)`}\n`,
          `Components in ${NamespaceName.Hub}: ${info.components.map(({ name, available, desired }) => `${name} (${available}/${desired})`).join(', ') || 'none'}\n\n`,
          formatTable(['CRD', 'NAME', 'VERSIONS (* = STORED)'], rows),
        ].join(''),
      );
    });
};
