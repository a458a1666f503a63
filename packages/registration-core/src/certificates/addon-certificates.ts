import { DataKey } from '@flotilla/api-types';
import type { OptionValues } from '@flotilla/process';
import type { AddonDriver } from '../contract/index.ts';
import { hubKubeconfig, withoutKubeconfig } from '../kube-hub/hub-kubeconfig.ts';
import { certificateIssuer } from './certificate-issuer.ts';
import { type certificateOptions, expirationSecondsOf } from './options.ts';
import { addonTemplate } from './request.template.ts';

/** Which registrations a driver serves with certificates. */
export interface AddonCertificateOptions {
  /** Of registrations for the hub's API that this driver serves: `csr`. */
  readonly authType: string;
  /** The signer of certificates for the hub's API. */
  readonly signerName: string;
}

/** The user entry of a kubeconfig beside a certificate. */
export const certificateUser = { 'client-certificate': DataKey.TlsCertificate, 'client-key': DataKey.TlsKey };

/** Certificates for add-ons: for the hub's API with a kubeconfig, and of other signers without one. */
export const addonCertificates = ({
  authType,
  signerName,
}: AddonCertificateOptions): AddonDriver<OptionValues<typeof certificateOptions>> => ({
  authType,
  supports: (registration) => registration.type === 'customSigner' || registration.driver === authType,
  create(context, registration) {
    const template = addonTemplate(context.identity, registration, signerName);
    return {
      ...certificateIssuer(context, { template, expirationSeconds: expirationSecondsOf(context.options) }),
      ...(registration.type === 'kubeClient' ? hubKubeconfig(certificateUser) : withoutKubeconfig),
    };
  },
});
