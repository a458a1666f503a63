import type { ConfigMap, ServiceAccount } from '@flotilla/kube/kinds';
import type { ObjectMeta } from '@flotilla/schema';

/** How a program is to run in a cluster. */
export interface ProgramValues {
  /** Its flags without their dashes, such as `hub-cluster-arn`. */
  readonly flags: Readonly<Record<string, string>>;
  /** Annotations of its service accounts, such as the IAM role of its pods. */
  readonly accountAnnotations?: Readonly<Record<string, string>>;
}

/** The flags of a program as a ConfigMap, which its Deployment reads as environment variables. */
export const programOptions = (
  key: { readonly namespace: string; readonly name: string },
  { flags }: ProgramValues,
): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...key },
  data: Object.fromEntries(Object.entries(flags).map(([flag, value]) => [variableOf(flag), value])),
});

const variableOf = (flag: string): string => `FLOTILLA_${flag.toUpperCase().replaceAll('-', '_')}`;

/** The environment of a container that may have such a ConfigMap. */
export const optionsFrom = (name: string) => [{ configMapRef: { name, optional: true } }];

/** A service account with the annotations of a program. */
export const annotatedAccount = (account: ServiceAccount, values: ProgramValues | undefined): ServiceAccount => {
  const annotations = { ...values?.accountAnnotations };
  if (Object.keys(annotations).length === 0) return account;
  const metadata: ObjectMeta = { ...account.metadata, annotations };
  return { ...account, metadata };
};
