import { AddOnRegistrationDriverName, RegistrationDriverName } from '@flotilla/api-types';
import { certificateOptions } from '@flotilla/registration-core/certificates';
import { defineDriver } from '@flotilla/registration-core/contract';
import { csrAddon } from './addon.ts';
import { createCsrAgent } from './agent.ts';
import { createCsrHub } from './hub.ts';
import { agentOptions, hubOptions } from './options.ts';
import { rules } from './rules.ts';

/** The same for add-ons alone, where the cluster itself runs no agent: what requests certificates has no bootstrap flags. */
export const csrAddonDriver = defineDriver({
  authType: AddOnRegistrationDriverName.Csr,
  options: { agent: certificateOptions, hub: {} },
  addon: csrAddon,
});

/** Registration by client certificates from CertificateSigningRequests, as OCM does it by default. */
export const csrDriver = defineDriver({
  authType: RegistrationDriverName.Csr,
  options: { agent: agentOptions, hub: hubOptions },
  rules,
  agent: createCsrAgent,
  hub: createCsrHub,
  addon: csrAddon,
});
