export { type FetchEventLike, type HandleOptions, handleFetch } from './handle-fetch.js';
