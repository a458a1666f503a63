import { get } from 'node:https';

/** The status of an answer; the certificate is one that the program made for itself. */
export const statusOf = (url: string, token?: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    get(url, { headers, rejectUnauthorized: false, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', reject);
  });
