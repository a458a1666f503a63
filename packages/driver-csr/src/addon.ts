import { AddOnRegistrationDriverName } from '@flotilla/api-types';
import { addonCertificates } from '@flotilla/registration-core/certificates';
import { signerName } from './rules.ts';

/** Certificates for add-ons. */
export const csrAddon = addonCertificates({ authType: AddOnRegistrationDriverName.Csr, signerName });
