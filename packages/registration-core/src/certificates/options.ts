import { KubeError } from '@flotilla/kube';
import { defineOptions, type OptionValues } from '@flotilla/process';

/** OCM's flag for the lifetime of client certificates. Drivers that issue some share this definition. */
export const certificateOptions = defineOptions({
  clientCertExpirationSeconds: {
    type: 'integer',
    default: 0,
    min: 0,
    group: 'Registration',
    description:
      'How long client certificates should live, in seconds, at least 3600. 0 leaves it to the signer of the hub.',
  },
});

const leastExpirationSeconds = 3600;

/** The lifetime to ask for; 0 leaves it to the signer. Refuses what OCM refuses, in its words. */
export function expirationSecondsOf({
  clientCertExpirationSeconds: seconds,
}: OptionValues<typeof certificateOptions>): number {
  if (seconds === 0 || seconds >= leastExpirationSeconds) return seconds;
  throw new KubeError('Config', 'client certificate expiration seconds must greater or qual to 3600', {
    hint: `--client-cert-expiration-seconds is ${seconds}: give 3600 or more, or 0 to leave it to the hub.`,
  });
}
