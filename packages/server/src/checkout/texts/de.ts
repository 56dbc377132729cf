import type { Texts } from './texts.ts';

export const de: Texts = {
  test_band: 'Testzahlung. Es wird kein Geld abgebucht.',
  language: 'Sprache',

  pay_shop: 'Zahlung an {shop}',
  complete_by: 'Bitte bis {time} abschließen.',
  five_minutes: 'Noch 5 Minuten, um die Zahlung abzuschließen.',
  one_minute: 'Noch 1 Minute, um die Zahlung abzuschließen.',
  error_title: 'Fehler: {title}',
  summary_title: 'Bitte prüfen Sie Ihre Angaben',
  nothing_taken: 'Es wurde kein Geld abgebucht.',

  number_label: 'Kartennummer',
  number_empty: 'Geben Sie eine Kartennummer ein',
  number_short: 'Die Kartennummer ist zu kurz',
  number_wrong: 'Prüfen Sie die Kartennummer',
  expiry_label: 'Gültig bis',
  expiry_hint: 'Monat und Jahr, zum Beispiel 03/30',
  expiry_empty: 'Geben Sie das Ablaufdatum ein, zum Beispiel 03/30',
  expiry_past: 'Diese Karte ist abgelaufen',
  cvc_label: 'Prüfnummer',
  cvc_hint_3: '3 Ziffern auf der Rückseite',
  cvc_hint_4: '4 Ziffern auf der Vorderseite',
  cvc_wrong_3: 'Geben Sie die 3 Ziffern auf der Rückseite ein',
  cvc_wrong_4: 'Geben Sie die 4 Ziffern auf der Vorderseite ein',
  name_label: 'Name auf der Karte',
  name_wrong: 'Geben Sie den Namen so ein, wie er auf der Karte steht',
  keeps_card: '{shop} speichert diese Karte für Ihre späteren Zahlungen.',
  keeps_wallet: '{shop} speichert Ihr {wallet}-Konto für Ihre späteren Zahlungen.',
  pay_amount: '{amount} zahlen',
  cancel: 'Abbrechen und zurück zu {shop}',
  return_to_shop: 'Zurück zu {shop}',
  another_card: 'Andere Karte verwenden',
  refused: 'Diese Karte wurde abgelehnt. Es wurde kein Geld abgebucht. Verwenden Sie eine andere Karte.',
  not_reached: 'Die Bank war nicht erreichbar. Es wurde kein Geld abgebucht. Versuchen Sie es noch einmal.',

  fields_unavailable:
    'Das Kartenformular konnte nicht geladen werden. Es wurde kein Geld abgebucht. Laden Sie die Seite neu.',
  fields_need_script:
    'Dieses Kartenformular braucht JavaScript. Es wurde kein Geld abgebucht. Schalten Sie es ein oder kehren Sie zu {shop} zurück.',
  fields_refused:
    'Diese Karte wurde nicht angenommen. Es wurde kein Geld abgebucht. Prüfen Sie die Angaben oder verwenden Sie eine andere Karte.',

  wallet_lead:
    'Sie bestätigen die Zahlung bei {wallet} und kommen hierher zurück. Vorher wird kein Geld abgebucht.',
  wallet_continue: 'Weiter zu {wallet}',
  not_approved: 'Sie haben diese Zahlung nicht bestätigt. Es wurde kein Geld abgebucht.',
  try_again: 'Noch einmal versuchen',

  bank_title: 'Ihre Bank prüft Ihre Angaben',
  bank_lead: 'Es wurde noch kein Geld abgebucht. Folgen Sie den Schritten Ihrer Bank.',
  bank_continue: 'Weiter zu Ihrer Bank',
  bank_frame: 'Bestätigung bei der Bank',
  bank_elsewhere: 'Seite der Bank im ganzen Fenster öffnen',

  processing: 'Wird bearbeitet. Bitte nicht noch einmal zahlen.',
  processing_lead: 'Wir warten auf die Antwort zu Ihrer Zahlung. Diese Seite geht von selbst weiter.',
  processing_slow:
    'Das dauert länger als üblich. Bitte nicht noch einmal zahlen. Sie können diese Seite schließen: {shop} erfährt das Ergebnis.',
  outage_title: 'Bei uns ist etwas schiefgegangen',
  outage: 'Wir wissen noch nicht, ob die Zahlung ausgeführt wurde: Bitte zahlen Sie nicht noch einmal.',
  check_again: 'Noch einmal nachsehen',

  paid_title: 'Zahlung abgeschlossen',
  paid: 'Ihre Zahlung ist abgeschlossen.',
  already_paid: 'Diese Zahlung ist bereits abgeschlossen. Es wurde nicht doppelt abgebucht.',
  held_title: 'Zahlung autorisiert',
  held: 'Ihre Zahlung ist autorisiert. Der Betrag ist reserviert und noch nicht abgebucht.',
  already_held:
    'Diese Zahlung ist bereits autorisiert. Der Betrag ist einmal reserviert und noch nicht abgebucht.',
  returning: 'Zurück zu {shop}.',
  for_shop: '{shop} schließt die Zahlung ab. Es wurde noch kein Geld abgebucht.',

  declined_title: 'Zahlung abgelehnt',
  declined: 'Ihre Bank hat diese Zahlung abgelehnt. Es wurde kein Geld abgebucht.',
  declined_wallet: '{wallet} hat diese Zahlung abgelehnt. Es wurde kein Geld abgebucht.',
  reason_expired_card: 'Laut Bank ist die Karte abgelaufen.',
  reason_insufficient_funds: 'Laut Bank ist nicht genug Geld verfügbar.',
  reason_invalid_cvv: 'Laut Bank stimmt die Prüfnummer nicht.',
  reason_invalid_card: 'Die Bank kennt diese Kartennummer nicht.',
  reason_3ds_failed: 'Die Bank konnte nicht bestätigen, dass Sie es sind.',
  reason_3ds_not_available: 'Die Bank war nicht in der Lage zu bestätigen, dass Sie es sind.',
  unconfirmed_title: 'Zahlung nicht bestätigt',
  unconfirmed: 'Sie haben die Prüfung Ihrer Bank nicht abgeschlossen. Es wurde kein Geld abgebucht.',
  expired_title: 'Zahlungslink abgelaufen',
  expired: 'Dieser Zahlungslink ist abgelaufen. Es wurde kein Geld abgebucht.',
  voided_title: 'Zahlung storniert',
  voided: 'Diese Zahlung wurde storniert. Es wurde kein Geld abgebucht.',
  not_possible_title: 'Zahlung nicht möglich',
  not_possible: '{shop} kann diese Zahlung im Moment nicht annehmen. Es wurde kein Geld abgebucht.',
  too_many:
    'Es wurden zu viele Karten versucht. Es wurde kein Geld abgebucht. Bitten Sie {shop} um einen neuen Link.',
  other_browser_title: 'In einem anderen Browser geöffnet',
  other_browser:
    'Diese Zahlung wurde in einem anderen Browser begonnen. Diese Seite bucht nichts ab. Machen Sie dort weiter oder bitten Sie {shop} um einen neuen Link.',
  not_found_title: 'Zahlung nicht gefunden',
  not_found: 'Dieser Zahlungslink ist ungültig. Es wurde kein Geld abgebucht.',

  fact_amount: 'Betrag',
  fact_shop: 'Gezahlt an',
  fact_reference: 'Referenz',
  fact_card: 'Karte',
  fact_time: 'Datum',
  card_ending: '{brand} mit den Endziffern {last4}',
  print: 'Drucken',
  go_on: 'Weiter',
};
