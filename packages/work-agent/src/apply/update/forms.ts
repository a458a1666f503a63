import { isRecord } from '@flotilla/schema';
import type { Manifest } from '../../manifest.ts';
import { ApplyError } from '../failure.ts';

const rbac = 'rbac.authorization.k8s.io';
const serviceAccountToken = 'kubernetes.io/service-account-token';

const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A Secret with `stringData` folded into `data`. The token controller adds keys of its own to token secrets. */
export function secretForm(required: Manifest, live: Manifest): Manifest {
  const { stringData, ...rest } = required;
  const given = recordOf(required.data);
  const folded = Object.fromEntries(
    Object.entries(recordOf(stringData)).map(([key, text]) => {
      const encoded = Buffer.from(String(text)).toString('base64');
      if (Object.hasOwn(given, key) && given[key] !== encoded) {
        throw new ApplyError({ message: `Secret.stringData["${key}"] conflicts with Secret.data["${key}"]` });
      }
      return [key, encoded];
    }),
  );
  const kept = required.type === serviceAccountToken ? recordOf(live.data) : {};
  const data = { ...kept, ...given, ...folded };
  return { ...rest, ...(Object.keys(data).length > 0 && { data }) };
}

/** A binding with the API groups that the server fills in. */
export function bindingForm(required: Manifest): Manifest {
  const subjects = listOf(required.subjects).map((subject) => {
    const given = recordOf(subject);
    const apiGroup = given.apiGroup || (given.kind === 'ServiceAccount' ? undefined : rbac);
    const { apiGroup: _, ...rest } = given;
    return apiGroup === undefined ? rest : { ...rest, apiGroup };
  });
  const roleRef = recordOf(required.roleRef);
  return { ...required, subjects, roleRef: { ...roleRef, apiGroup: roleRef.apiGroup || rbac } };
}

/** A definition with the names and the conversion that the server fills in. */
export function definitionForm(required: Manifest): Manifest {
  const spec = recordOf(required.spec);
  const names = recordOf(spec.names);
  const kind = String(names.kind ?? '');
  return {
    ...required,
    spec: {
      ...spec,
      names: { ...names, singular: names.singular ?? kind.toLowerCase(), listKind: names.listKind ?? `${kind}List` },
      conversion: conversionForm(recordOf(spec.conversion)),
    },
  };
}

function conversionForm(conversion: Record<string, unknown>): Record<string, unknown> {
  const { webhook } = conversion;
  const form = { ...conversion, strategy: conversion.strategy ?? 'None' };
  if (!isRecord(webhook) || !isRecord(webhook.clientConfig) || !isRecord(webhook.clientConfig.service)) return form;
  const service = { port: 443, ...webhook.clientConfig.service };
  return { ...form, webhook: { ...webhook, clientConfig: { ...webhook.clientConfig, service } } };
}

/** Webhooks with the CA bundle that others injected, where the manifest has none. */
export function webhooksForm(required: Manifest, live: Manifest): Manifest {
  const liveByName = new Map(listOf(live.webhooks).map((webhook) => [recordOf(webhook).name, recordOf(webhook)]));
  const webhooks = listOf(required.webhooks).map((webhook) => {
    const given = recordOf(webhook);
    const clientConfig = recordOf(given.clientConfig);
    const injected = recordOf(liveByName.get(given.name)?.clientConfig).caBundle;
    if (clientConfig.caBundle || injected === undefined) return given;
    return { ...given, clientConfig: { ...clientConfig, caBundle: injected } };
  });
  return { ...required, webhooks };
}
