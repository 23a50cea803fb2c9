
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_cohorts_and_staff'),
        ('results', '0002_export_kind'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='export',
            name='removed_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name='export',
            name='kind',
            field=models.CharField(choices=[('bundle', 'Bundle'), ('trace_csv', 'Trace, CSV'), ('trace_ocel', 'Trace, OCEL 2.0'), ('release', 'Release')], default='bundle', max_length=12),
        ),
        migrations.CreateModel(
            name='TextMask',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(max_length=20)),
                ('row', models.PositiveBigIntegerField()),
                ('start', models.PositiveIntegerField()),
                ('end', models.PositiveIntegerField()),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='text_masks', to='accounts.study')),
            ],
            options={
                'indexes': [models.Index(fields=['study', 'source', 'row'], name='results_tex_study_i_a51912_idx')],
                'constraints': [models.UniqueConstraint(fields=('source', 'row', 'start', 'end'), name='text_mask_once'), models.CheckConstraint(condition=models.Q(('end__gt', models.F('start'))), name='text_mask_not_empty')],
            },
        ),
        migrations.CreateModel(
            name='TextReview',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(max_length=20)),
                ('row', models.PositiveBigIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='text_reviews', to='accounts.study')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('source', 'row'), name='text_review_once')],
            },
        ),
    ]
