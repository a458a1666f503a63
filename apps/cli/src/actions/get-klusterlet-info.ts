import { AppLabelValue, NamespaceName, SecretName } from '@flotilla/api-types';
import { listKlusterlets } from '@flotilla/install';
import { secrets } from '@flotilla/kube/kinds';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { findOperator } from '../operator/live-operator.ts';
import { operatorInfo, operatorLines } from '../operator/operator-info.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { formatTable } from '../output/table.ts';

/** The flags of `get klusterlet-info`. */
export interface GetKlusterletInfoOptions {
  readonly output: string;
}

/** Prints it. */
export async function getKlusterletInfo(
  context: CliContext,
  options: GetKlusterletInfoOptions & GlobalOptions,
): Promise<void> {
  const { output } = options;
  await using managed = await context.connector.toCluster(options);
  const found = await listKlusterlets(managed.client);
  if (found.length === 0) {
    throw new CliError(
      'precondition',
      'no Klusterlet: this cluster is not joined to a hub',
      `Choose it with --kubeconfig or --context, or join it: \`${context.program} join --help\`.`,
    );
  }
  const infos = await Promise.all(
    found.map(async ({ metadata, spec, status }) => {
      const namespace = spec?.namespace ?? NamespaceName.Agent;
      const has = async (name: string) =>
        (await managed.client.resource(secrets).find(`${namespace}/${name}`)) !== undefined;
      return {
        name: metadata?.name ?? '',
        clusterName: spec?.clusterName ?? '',
        mode: spec?.deployOption?.mode ?? '',
        registrationAuth: spec?.registrationConfiguration?.registrationDriver?.authType ?? 'csr',
        namespace,
        bootstrapSecret: await has(SecretName.BootstrapHubKubeconfig),
        hubCredentials: await has(SecretName.HubKubeconfig),
        conditions: status?.conditions ?? [],
      };
    }),
  );
  const operator = operatorInfo(await findOperator(managed.client, AppLabelValue.Klusterlet));
  if (isMachineFormat(output)) {
    context.out.write(
      formatValue(
        infos.map((info) => ({ ...info, operator })),
        output,
      ),
    );
    return;
  }
  context.out.write(operatorLines(operator, infos.length === 1 ? (infos[0]?.conditions ?? []) : []).join(''));
  context.out.write(
    formatTable(
      ['KLUSTERLET', 'CLUSTER', 'MODE', 'AUTH', 'NAMESPACE', 'MAY ASK TO JOIN', 'HAS CREDENTIALS', 'CONDITIONS'],
      infos.map(
        ({ name, clusterName, mode, registrationAuth, namespace, bootstrapSecret, hubCredentials, conditions }) => [
          name,
          clusterName,
          mode,
          registrationAuth,
          namespace,
          yesNo(bootstrapSecret),
          yesNo(hubCredentials),
          conditions.map(({ type, status }) => `${type}=${status}`).join(','),
        ],
      ),
    ),
  );
}

const yesNo = (value: boolean): string => (value ? 'yes' : 'no');
