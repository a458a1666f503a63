import type { AdmissionPlugin } from '../../contracts/admission.ts';
import type { ResourceInfo } from '../../contracts/resource-info.ts';
import type { Storage } from '../../contracts/storage.ts';
import { type AskOptions, ask } from './ask.ts';
import { isExempt, registeredWebhooks, type Webhook } from './configuration.ts';
import { invocationOf, type MatchOptions } from './match.ts';

export interface ValidatingOptions extends AskOptions, MatchOptions {
  readonly storage: Pick<Storage, 'get' | 'list'>;
}

/** Asks all validating webhooks at once; throws the first refusal, in the order of their names. */
export const validatingWebhooks = (options: ValidatingOptions): AdmissionPlugin => ({
  name: 'ValidatingAdmissionWebhook',
  handles: ({ info }) => !isExempt(info.storage),
  async validate(request, warn) {
    const wanted: { webhook: Webhook; info: ResourceInfo }[] = [];
    for (const { webhook } of registeredWebhooks(options.storage, 'validating')) {
      const info = await invocationOf(options, webhook, request);
      if (info) wanted.push({ webhook, info });
    }
    if (wanted.length === 0) return;
    const answers = await Promise.allSettled(
      wanted.map(({ webhook, info }) => ask(options, webhook, info, request, { warn, mutating: false })),
    );
    for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
  },
});
