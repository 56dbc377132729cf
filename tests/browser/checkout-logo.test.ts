import { expect, it } from 'vitest';
import { readLogoFile } from '../../packages/server/src/accounts/logo.ts';
import { startBrowser } from './harness.ts';

const draw = `
const canvas = document.createElement('canvas');
canvas.width = 40; canvas.height = 12;
const pen = canvas.getContext('2d');
pen.fillStyle = '#0a7d5a'; pen.fillRect(3, 2, 30, 9);
pen.fillStyle = '#ffd500'; pen.fillRect(10, 4, 5, 5);`;

const pixels = (address: string) => `(async () => {
  const picture = new Image();
  picture.src = ${JSON.stringify(address)};
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = picture.naturalWidth; canvas.height = picture.naturalHeight;
  const pen = canvas.getContext('2d');
  pen.drawImage(picture, 0, 0);
  return [canvas.width, canvas.height, ...pen.getImageData(0, 0, canvas.width, canvas.height).data].join();
})()`;

it('a re-encoded logo has the pixels of the uploaded one', async () => {
  const browser = await startBrowser();
  const { page } = await browser.open('http://127.0.0.1:9');
  for (const type of ['image/png', 'image/jpeg']) {
    const uploaded = await page.evaluate<string>(`(() => { ${draw} return canvas.toDataURL('${type}'); })()`);
    const { bytes, contentType } = await readLogoFile(Buffer.from(uploaded.split(',')[1] ?? '', 'base64'));
    expect(contentType).toBe(type);
    const ours = `data:${contentType};base64,${bytes.toString('base64')}`;
    expect(await page.evaluate<string>(pixels(ours))).toBe(await page.evaluate<string>(pixels(uploaded)));
  }
  await browser.close();
});
