import { AddOnRegistrationDriverName } from '@flotilla/api-types';
import { defineDriver } from '@flotilla/registration-core/contract';
import { tokenAddon } from './addon.ts';
import { agentOptions } from './options.ts';

/** Registration of add-ons by tokens of service accounts on the hub, as OCM's `token`. Clusters register by another driver. */
export const tokenDriver = defineDriver({
  authType: AddOnRegistrationDriverName.Token,
  options: { agent: agentOptions, hub: {} },
  addon: tokenAddon,
});
