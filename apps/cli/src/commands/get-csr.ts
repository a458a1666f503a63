import { Label } from '@flotilla/api-types';
import { certificateSigningRequests } from '@flotilla/kube';
import { connect } from '../connect.ts';
import { readRequests, requestTable } from '../hub/request-rows.ts';
import { formatManifests, formatValue } from '../output/format.ts';
import { type AddCommand, allOptions, listOption, outputOption } from './command.ts';

export const addGetCsr: AddCommand = (get, context) => {
  get
    .command('csr')
    .description('The certificate requests of clusters: who asked for what, and what became of it.')
    .option('--clusters <names>', 'only those of these clusters', listOption)
    .addOption(outputOption('table', 'json', 'yaml'))
    .addHelpText('after', '\nExamples:\n  $ flotilla get csr\n  $ flotilla get csr --clusters cluster1 -o yaml\n')
    .action(async (_options, command) => {
      const { clusters, output, ...options } = allOptions<{ clusters?: string[]; output: string }>(command);
      await using hub = await connect(context, options);
      const labelSelector = clusters ? `${Label.ClusterName} in (${clusters.join(',')})` : Label.ClusterName;
      const { items } = await hub.client.resource(certificateSigningRequests).list({ labelSelector });
      const objects = items.map((item) => ({
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        ...item,
      }));
      if (output === 'json') context.out.write(formatValue({ apiVersion: 'v1', kind: 'List', items: objects }, 'json'));
      else if (output === 'yaml') context.out.write(formatManifests(objects));
      else context.out.write(requestTable(await readRequests(items), context.clock.now()));
    });
};
