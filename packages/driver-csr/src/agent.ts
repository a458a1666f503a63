import type { OptionValues } from '@flotilla/process';
import {
  certificateIssuer,
  certificateUser,
  clusterTemplate,
  expirationSecondsOf,
  storedCertificate,
} from '@flotilla/registration-core/certificates';
import type { AgentDriver, AgentDriverContext } from '@flotilla/registration-core/contract';
import { kubeHub } from '@flotilla/registration-core/kube-hub';
import type { agentOptions } from './options.ts';
import { rules, signerName } from './rules.ts';

/** Registers the cluster with certificates of the hub's API server. */
export function createCsrAgent(context: AgentDriverContext<OptionValues<typeof agentOptions>>): AgentDriver {
  const template = clusterTemplate(context.identity, signerName);
  return {
    ...kubeHub(context, {
      user: certificateUser,
      credentials: { current: storedCertificate },
      bootstrapRules: rules.bootstrap,
    }),
    ...certificateIssuer(context, { template, expirationSeconds: expirationSecondsOf(context.options) }),
  };
}
