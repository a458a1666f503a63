import { AddOnRegistrationDriverName, DataKey, ServiceAccountName, UserName } from '@flotilla/api-types';
import type { OptionValues } from '@flotilla/process';
import type { AddonDriver } from '@flotilla/registration-core/contract';
import { hubKubeconfig } from '@flotilla/registration-core/kube-hub';
import type { agentOptions } from './options.ts';
import { tokenIssuer } from './token-issuer.ts';

const authType = AddOnRegistrationDriverName.Token;

/** Tokens for add-ons that ask for access to the hub's API. */
export const tokenAddon: AddonDriver<OptionValues<typeof agentOptions>> = {
  authType,
  supports: (registration) => registration.type === 'kubeClient' && registration.driver === authType,
  subject: ({ clusterName }, { addonName }) => ({
    user: UserName.ServiceAccount.of({
      namespace: clusterName,
      name: ServiceAccountName.AddOnAgent.of({ addOn: addonName }),
    }),
    groups: [],
  }),
  create: (context, { addonName }) => ({
    ...tokenIssuer(context, addonName),
    ...hubKubeconfig({ tokenFile: DataKey.Token }),
  }),
};
