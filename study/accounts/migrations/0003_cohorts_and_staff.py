import django.db.models.deletion
import django.utils.timezone
import study.accounts.encrypted
from django.conf import settings
from django.db import migrations, models


def note_study_codes(apps, schema_editor):
    """Rows of the audit log say which study they are about even when it is gone."""
    AuditRow = apps.get_model('accounts', 'AuditRow')
    for row in AuditRow.objects.filter(study__isnull=False).select_related('study').iterator():
        AuditRow.objects.filter(pk=row.pk).update(study_code=row.study.code)


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_shared_cache'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditSeal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(unique=True)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('rows', models.PositiveIntegerField()),
                ('previous', models.CharField(blank=True, max_length=64)),
                ('sha256', models.CharField(max_length=64, unique=True)),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='Erasure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(max_length=40)),
                ('scope', models.CharField(max_length=12)),
                ('state', models.CharField(default='asked', max_length=10)),
                ('requested_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('done_at', models.DateTimeField(blank=True, null=True)),
                ('runs', models.PositiveSmallIntegerField(default=0)),
                ('report', models.JSONField(blank=True, default=dict)),
            ],
        ),
        migrations.CreateModel(
            name='StaffInvitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', study.accounts.encrypted.EncryptedText()),
                ('email_hash', models.CharField(max_length=64)),
                ('role', models.CharField(choices=[('owner', 'owner'), ('researcher', 'researcher'), ('coordinator', 'coordinator'), ('viewer', 'viewer')], max_length=16)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField()),
                ('accepted_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.AddField(
            model_name='auditrow',
            name='study_code',
            field=models.CharField(blank=True, max_length=40),
        ),
        migrations.AddField(
            model_name='study',
            name='archived_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='closed_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='contacts_announced_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='contacts_deleted_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='contacts_until',
            field=models.DateField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='copied_from',
            field=models.CharField(blank=True, max_length=40),
        ),
        migrations.AddField(
            model_name='study',
            name='pay_four_eyes',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='auditrow',
            name='seal',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='audit_rows', to='accounts.auditseal'),
        ),
        migrations.AddIndex(
            model_name='auditrow',
            index=models.Index(fields=['seal'], name='accounts_au_seal_id_579e87_idx'),
        ),
        migrations.AddField(
            model_name='erasure',
            name='requested_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='erasure',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='erasures', to='accounts.study'),
        ),
        migrations.AddField(
            model_name='staffinvitation',
            name='accepted_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='staffinvitation',
            name='invited_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='staffinvitation',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='staff_invitations', to='accounts.study'),
        ),
        migrations.AddConstraint(
            model_name='erasure',
            constraint=models.UniqueConstraint(fields=('study', 'subject', 'scope'), name='erasure_once'),
        ),
        migrations.AddConstraint(
            model_name='staffinvitation',
            constraint=models.UniqueConstraint(condition=models.Q(('accepted_at__isnull', True), ('revoked_at__isnull', True)), fields=('study', 'email_hash'), name='staff_invitation_open_once'),
        ),
        migrations.RunPython(note_study_codes, migrations.RunPython.noop),
    ]
