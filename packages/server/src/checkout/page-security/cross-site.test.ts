import { expect, it } from 'vitest';
import { isFromOtherSite } from './cross-site.ts';

const address = 'https://pay.example/checkout/pay/';

it.each([
  ['our page', { 'sec-fetch-site': 'same-origin', origin: 'https://pay.example' }],
  ['our page, without a referrer', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
  ['a reload', { 'sec-fetch-site': 'none' }],
  ['a browser that says nothing', {}],
  ['an old browser without a referrer', { origin: 'null' }],
  ['an old browser', { origin: 'https://pay.example' }],
  ['an old browser at another name of ours', { origin: 'http://10.0.0.1:8080' }],
])('a form of %s is served', (_who, headers) => {
  expect(isFromOtherSite({ host: '10.0.0.1:8080', ...headers }, address)).toBe(false);
});

it.each([
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://shop.example' }],
  ['another site that hides its name', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ['another site in an old browser', { origin: 'https://shop.example' }],
  ['what is no address', { origin: 'shop' }],
])('a form of %s is not', (_who, headers) => {
  expect(isFromOtherSite({ host: 'pay.example', ...headers }, address)).toBe(true);
});
