import { defineOptions } from '@flotilla/process';

/** Flags of the agent. */
export const agentOptions = defineOptions({
  addonTokenExpirationSeconds: {
    type: 'integer',
    default: 31_536_000,
    min: 600,
    zeroIsDefault: true,
    group: 'Registration',
    description: 'How long tokens of add-ons should live. The API server of the hub may give them less.',
  },
});
