export { hubHashOf } from '@flotilla/api-types';
